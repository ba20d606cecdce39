// as: libs/contracts/wrong-example.ts
// bites: @typescript-eslint/switch-exhaustiveness-check
export function next(status: 'pending' | 'approved'): string {
  switch (status) {
    case 'pending':
      return 'approved';
  }
  return status;
}
