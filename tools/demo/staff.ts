import { randomBytes } from 'node:crypto';
import type { Role } from '@offizin/contracts/roles';
import { inviteStaffFor } from '@offizin/contracts/staff-operator';
import type { Platform } from '../offizin/platform';
import type { DemoOrganization } from '../up/demo-file';

const PEOPLE: readonly { name: string; role: Role }[] = [
  { name: 'Martina Sommer', role: 'owner' },
  { name: 'Katharina Berg', role: 'pharmacist' },
  { name: 'Jonas Albrecht', role: 'pharmacist' },
  { name: 'Aylin Demir', role: 'clerk' },
];

/**
 * People who can sign in to the console of this pharmacy, invited by the operator. Their passwords are made for this
 * data folder.
 */
export async function inviteStaff(
  platform: Platform,
  gatewayUrl: string,
  { orgId, domain }: { orgId: string; domain: string },
): Promise<DemoOrganization['staff']> {
  const staff = [];
  for (const { name, role } of PEOPLE) {
    const email = `${name.split(' ')[0]?.toLowerCase() ?? role}@${domain}`;
    const password = randomBytes(12).toString('base64url');
    const { url } = await platform.call(inviteStaffFor, { org_id: orgId, email, name, role });
    await acceptInvitation(gatewayUrl, { token: new URL(url).hash.slice(1), password });
    staff.push({ email, password, role });
  }
  return staff;
}

/** As the console's welcome page does. */
async function acceptInvitation(
  gatewayUrl: string,
  body: { token: string; password: string },
): Promise<void> {
  const answer = await fetch(`${gatewayUrl}/console/api/links/accept`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: new URL(gatewayUrl).origin,
      'x-offizin-console': '1',
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`the invitation was not accepted: ${await answer.text()}`);
}
