import { Flag, Int, Nested, Text, Timestamp } from '../calls/fields';
import { Described } from '../calls/schema';

@Described('Who in the organization has checked the prescriber, and when')
export class PrescriberCheck {
  @Text({ description: 'Name of the person' }) by!: string;
  @Timestamp() at!: string;
}

export class PrescriberCheckBody {
  @Flag({ description: 'false takes the check back' }) checked!: boolean;
  @Int({ minimum: 1, description: 'The version that was looked at; 409 when there is a newer one' })
  version!: number;
}

export class PrescriberCheckResponse {
  @Nested(() => PrescriberCheck, { nullable: true }) prescriber_check!: PrescriberCheck | null;
}
