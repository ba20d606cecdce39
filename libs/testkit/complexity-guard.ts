/** Limit for work whose time must grow with its input alone: far above that on a busy machine, far below quadratic time. */
export const COMPLEXITY_GUARD_MS = 15_000;
