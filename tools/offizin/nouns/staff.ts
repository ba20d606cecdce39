import { type Command, Option } from 'commander';
import { ROLES, type Role } from '@offizin/contracts/people/roles';
import {
  inviteStaffFor,
  listStaffOf,
  removeSecondFactorOf,
  signOutStaffOf,
  switchOffStaff,
} from '@offizin/contracts/people/staff-operator';
import type { WithPlatform } from '../platform';

const COLUMNS = ['email', 'name', 'role', 'is_active', 'has_joined', 'last_seen_at'];

interface InviteOptions {
  org: string;
  email: string;
  role: Role;
}

const BY_EMAIL = [
  ['switch-off', 'switch a person off and end the sessions; also the last owner', switchOffStaff],
  ['sign-out', 'end every session of a person', signOutStaffOf],
  [
    'remove-second-factor',
    'remove app, passkeys and recovery codes of a person who has lost them, and end the sessions',
    removeSecondFactorOf,
  ],
] as const;

/** `offizin staff …`: the people of the console. Owners do the same in the console; this is for the first of them. */
export function addStaffCommands(program: Command, withPlatform: WithPlatform): void {
  const staff = program.command('staff').description('people who use the console');

  staff
    .command('invite')
    .description('invite a person, or make a new link for one who is there; the link is printed this once')
    .requiredOption('--org <id>', 'organization')
    .requiredOption('--email <address>', 'unique in the organization')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
    .argument('[name]', 'of the person; the start of the e-mail unless given')
    .action((name: string | undefined, { org, email, role }: InviteOptions) =>
      withPlatform((platform) =>
        platform.call(inviteStaffFor, {
          org_id: org,
          email,
          name: name ?? email.split('@')[0] ?? email,
          role,
        }),
      ),
    );

  addReading(staff, withPlatform);

  for (const [name, description, op] of BY_EMAIL)
    staff
      .command(name)
      .description(description)
      .option('--org <id>', 'needed where several organizations have the person')
      .argument('<email>')
      .action((email: string, { org }: { org?: string }) =>
        withPlatform((platform) => platform.call(op, { email, ...(org !== undefined && { org_id: org }) })),
      );
}

function addReading(staff: Command, withPlatform: WithPlatform): void {
  staff
    .command('list')
    .description('list the people of an organization')
    .requiredOption('--org <id>', 'organization')
    .action(({ org }: { org: string }) =>
      withPlatform((platform) => platform.call(listStaffOf, { org_id: org }), COLUMNS),
    );

  staff
    .command('show')
    .description('show a person')
    .requiredOption('--org <id>', 'organization')
    .argument('<email>')
    .action((email: string, { org }: { org: string }) =>
      withPlatform(async (platform) => {
        const { data } = await platform.call(listStaffOf, { org_id: org });
        const person = data.find((one) => one.email.toLowerCase() === email.toLowerCase());
        if (person) return person;
        throw new Error(
          `The organization has no person ${email}. List them: offizin staff list --org ${org}`,
        );
      }),
    );
}
