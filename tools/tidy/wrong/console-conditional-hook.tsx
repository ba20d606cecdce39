// as: apps/console/shell/wrong-hook.tsx
// bites: react-hooks/rules-of-hooks
import { useId } from 'react';

export function Wrong({ isNamed }: { isNamed: boolean }) {
  if (!isNamed) return null;
  const id = useId();
  return <p id={id} />;
}
