/** True if a system call failed with `code`. No instanceof: under Jest such errors come from another realm. */
export function hasErrorCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
