import { Flag, Int, Nested, Text, Timestamp } from '../calls/fields';
import { internalOperation } from '../calls/operation';
import { MAX_PAGE_SIZE } from '../calls/paging';

/** The organizations of the platform, for the operator's command line. */

export class OrganizationsBody {
  @Text({ optional: true, description: 'Only this one' }) org_id?: string;
  @Text({ optional: true, description: 'Those after this id: `next` of the page before' }) after?: string;
}

export class OrganizationRow {
  @Text({ format: 'uuid' }) org_id!: string;
  @Text() name!: string;
  @Flag() is_active!: boolean;
  @Int({ description: 'Shops, switched off ones included' }) shops!: number;
  @Int({ description: 'API keys that are neither revoked nor expired' }) live_keys!: number;
  @Timestamp() created_at!: string;
}

export class OrganizationsResponse {
  @Nested(() => OrganizationRow, { list: { maxItems: MAX_PAGE_SIZE } }) data!: OrganizationRow[];
  @Text({ nullable: true, description: '`after` of the next page; null at the end' }) next!: string | null;
}

export const listOrganizations = internalOperation({
  name: 'directory.list-organizations',
  summary: 'List organizations, oldest first',
  body: OrganizationsBody,
  reply: OrganizationsResponse,
});
