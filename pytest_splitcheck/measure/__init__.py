"""Numbers without opinions: neighbours, leakage, detectors, AUROC, instability."""
