"""Drivers that stand in for hypervisors, switches and disks."""
