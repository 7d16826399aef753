"""First-party attacks, one file each. Found through entry points, like anyone's."""
