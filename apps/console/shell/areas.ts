import type { Role } from '@offizin/contracts/roles';
import type { ComponentType } from 'react';
import { BoxIcon, ChecklistIcon, InboxIcon, SettingsIcon } from '../controls/icon';
import type { Texts } from '../text/de';

/** The entries of the rail: what exists, and who sees it. */
export interface Area {
  to: '/requests' | '/orders' | '/settings/me' | '/settings/review';
  /** After `g`. */
  key: string;
  name: (texts: Texts) => string;
  icon: ComponentType;
  roles: readonly Role[];
}

const AREAS: readonly Area[] = [
  {
    to: '/requests',
    key: 'r',
    name: (texts) => texts.shell.requests,
    icon: InboxIcon,
    roles: ['owner', 'pharmacist'],
  },
  {
    to: '/orders',
    key: 'o',
    name: (texts) => texts.shell.orders,
    icon: BoxIcon,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
  {
    to: '/settings/me',
    key: 'e',
    name: (texts) => texts.shell.settings,
    icon: SettingsIcon,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
  {
    to: '/settings/review',
    key: 'v',
    name: (texts) => texts.deciding.settings.title,
    icon: ChecklistIcon,
    roles: ['owner', 'pharmacist'],
  },
];

export function areasOf(role: Role): readonly Area[] {
  return AREAS.filter(({ roles }) => roles.includes(role));
}
