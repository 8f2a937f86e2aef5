"""The parts of scripts/gpu-record: what is run (tests, figures), how (launch, machine), and what is written down (record)."""
