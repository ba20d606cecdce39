// as: apps/console/shell/wrong-text.tsx
// bites: no-restricted-syntax
import { useId } from 'react';

export function Wrong() {
  useId();
  return <p>Saved</p>;
}
