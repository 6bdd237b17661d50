import { Type, type Static } from '@sinclair/typebox'

import { FIELDS } from '../draft/model'
import { StatusView, Time } from '../model'

/** The time at which a campaign starts. */
export const NewSchedule = Type.Object(
  { scheduled_at: Time, timezone: Type.Optional(FIELDS.timezone) },
  { title: 'CampaignScheduleInput', examples: [{ scheduled_at: '2030-01-01T09:00:00.000Z' }] },
)

/** Options for starting a campaign. */
export const StartInput = Type.Object(
  {
    now: Type.Optional(
      Type.Boolean({
        description:
          'If `true`, starts immediately even if `scheduled_at` is in the future. Defaults to ' +
          '`false`.',
      }),
    ),
  },
  { title: 'CampaignStart', examples: [{ now: true }] },
)

/** Options for resuming a campaign. */
export const ResumeInput = Type.Object(
  {
    ignore_errors: Type.Optional(
      Type.Boolean({
        description: 'If `true`, failures no longer pause the campaign. Defaults to `false`.',
      }),
    ),
    include_unknown: Type.Optional(
      Type.Boolean({
        description:
          'If `true`, also sends to recipients with an unknown outcome, whose message may have ' +
          'arrived. Must be `true` when `pause_reason` is `restored`. Defaults to `false`.',
      }),
    ),
  },
  { title: 'CampaignResume', examples: [{ ignore_errors: false }] },
)

/** The failed recipients to retry. */
export const RetryInput = Type.Object(
  {
    codes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        maxItems: 50,
        description: 'Error codes of the server to retry. Defaults to all retryable errors.',
      }),
    ),
    include_unknown: Type.Optional(
      Type.Boolean({
        description:
          'Whether to include recipients with an unknown outcome, whose message may have ' +
          'arrived. Its estimated cost stays in the budget. Defaults to `false`.',
      }),
    ),
  },
  { title: 'CampaignRetry', examples: [{ include_unknown: true }] },
)

/** The result of a retry. */
export const RetryView = Type.Object(
  { retry_count: Type.Integer(), status: StatusView },
  { title: 'CampaignRetried' },
)
export type RetryView = Static<typeof RetryView>
