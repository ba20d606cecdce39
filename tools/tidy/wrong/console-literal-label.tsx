// as: apps/console/shell/wrong-label.tsx
// bites: no-restricted-syntax
import { useId } from 'react';

export function Wrong() {
  useId();
  return <nav aria-label="Areas" />;
}
