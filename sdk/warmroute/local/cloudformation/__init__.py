"""CloudFormation's stacks on this machine: a stack engine of our own over the APIs of the local endpoint."""
