import type { Role } from '@offizin/contracts/people/roles';
import type { SessionResponse } from '@offizin/contracts/people/sessions';
import type { ComponentType } from 'react';
import {
  BarsIcon,
  BoxIcon,
  ChecklistIcon,
  DocumentIcon,
  InboxIcon,
  LayersIcon,
  PillIcon,
  ScanIcon,
  SettingsIcon,
  WebhookIcon,
} from '../controls/icon';
import type { Texts } from '../text/de';

interface Page<To extends string> {
  to: To;
  name: (texts: Texts) => string;
  roles: readonly Role[];
}

/** The entries of the rail: what exists, and who sees it. */
export interface Area extends Page<
  | '/requests'
  | '/orders'
  | '/orders/pack'
  | '/stock'
  | '/products'
  | '/prescriptions'
  | '/reports'
  | '/webhooks'
  | '/audit'
  | '/settings'
> {
  /** After `g`. */
  key: string;
  icon: ComponentType;
}

/** A page of the settings, listed in their navigation. */
export interface SettingsPage extends Page<
  | '/settings/me'
  | '/settings/staff'
  | '/settings/sign-on'
  | '/settings/keys'
  | '/settings/shops'
  | '/settings/workflow'
  | '/settings/review'
> {
  /** After `g`; few people come to most of them often. */
  key?: string;
}

const OWNERS: readonly Role[] = ['owner'];
const REVIEWERS: readonly Role[] = ['owner', 'pharmacist'];
const EVERYBODY: readonly Role[] = ['owner', 'pharmacist', 'clerk'];

const AREAS: readonly Area[] = [
  { to: '/requests', key: 'r', name: ({ shell }) => shell.requests, icon: InboxIcon, roles: REVIEWERS },
  { to: '/orders', key: 'o', name: ({ shell }) => shell.orders, icon: BoxIcon, roles: EVERYBODY },
  { to: '/orders/pack', key: 'k', name: ({ shell }) => shell.packing, icon: ScanIcon, roles: EVERYBODY },
  { to: '/stock', key: 's', name: ({ shell }) => shell.stock, icon: LayersIcon, roles: EVERYBODY },
  { to: '/products', key: 'p', name: ({ shell }) => shell.products, icon: PillIcon, roles: EVERYBODY },
  {
    to: '/prescriptions',
    key: 'd',
    name: ({ shell }) => shell.prescriptions,
    icon: DocumentIcon,
    roles: REVIEWERS,
  },
  { to: '/reports', key: 'b', name: ({ shell }) => shell.reports, icon: BarsIcon, roles: REVIEWERS },
  { to: '/webhooks', key: 'w', name: ({ shell }) => shell.webhooks, icon: WebhookIcon, roles: OWNERS },
  { to: '/audit', key: 'a', name: ({ shell }) => shell.audit, icon: ChecklistIcon, roles: OWNERS },
  { to: '/settings', key: 'e', name: ({ shell }) => shell.settings, icon: SettingsIcon, roles: EVERYBODY },
];

const SETTINGS: readonly SettingsPage[] = [
  { to: '/settings/me', name: ({ shell }) => shell.settingsOf.me, roles: EVERYBODY },
  { to: '/settings/staff', name: ({ shell }) => shell.settingsOf.staff, roles: OWNERS },
  { to: '/settings/sign-on', name: ({ shell }) => shell.settingsOf.signOn, roles: OWNERS },
  { to: '/settings/keys', name: ({ shell }) => shell.settingsOf.apiKeys, roles: OWNERS },
  { to: '/settings/shops', name: ({ shell }) => shell.settingsOf.shops, roles: OWNERS },
  { to: '/settings/workflow', name: ({ shell }) => shell.settingsOf.workflow, roles: OWNERS },
  { to: '/settings/review', key: 'v', name: ({ shell }) => shell.settingsOf.review, roles: REVIEWERS },
];

/** Pages that are opened by a key, by the palette, and from another page. */
interface FurtherPage extends Page<'/recall'> {
  key: string;
}

const FURTHER: readonly FurtherPage[] = [
  { to: '/recall', key: 'c', name: ({ shell }) => shell.recall, roles: EVERYBODY },
];

type Known = Pick<SessionResponse, 'staff' | 'has_prescriptions'>;

export function areasOf({ staff: { role }, has_prescriptions: hasPrescriptions }: Known): readonly Area[] {
  return AREAS.filter(
    ({ roles, to }) => roles.includes(role) && (to !== '/prescriptions' || hasPrescriptions),
  );
}

export function settingsOf(role: Role): readonly SettingsPage[] {
  return SETTINGS.filter(({ roles }) => roles.includes(role));
}

/** For keys and the palette. */
export function pagesOf(session: Known): readonly (Area | SettingsPage | FurtherPage)[] {
  return [...areasOf(session), ...FURTHER, ...settingsOf(session.staff.role)];
}
