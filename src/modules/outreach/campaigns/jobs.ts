import { Type, type Static } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { AccountChanged } from '../../channel/accounts/events'
import { ContactDeleted, ContactErased } from '../../inbox/contacts/events'
import { TemplateChanged } from '../../channel/templates/events'

const idOrNull = Type.Union([Type.String(), Type.Null()])
const OneCampaign = Type.Object({ campaignId: Type.String() })

/** Starts a campaign at its scheduled time. */
export const StartDueCampaign = job(
  'campaign.start',
  Type.Object({ campaignId: Type.String(), scheduledAtMs: Type.Integer() }),
  { queue: 'default' },
)

/** Selects the recipients of a campaign, a batch at a time. */
export const PlanCampaign = job(
  'campaign.plan',
  Type.Object({
    campaignId: Type.String(),
    phase: Type.Union([Type.Literal('upload'), Type.Literal('audience')]),
    after: Type.String(),
    micros: Type.Union([Type.Integer(), Type.Null()]),
  }),
  { queue: 'default' },
)

/** Creates the next messages of a campaign until every recipient has one. */
export const DispatchCampaign = job('campaign.dispatch', OneCampaign, { queue: 'default' })

const Retry = Type.Object({
  campaignId: Type.String(),
  codes: Type.Union([Type.Array(Type.String()), Type.Null()]),
  includeUnknown: Type.Boolean(),
  requestedAtMs: Type.Integer(),
  after: Type.String(),
})
export type CampaignRetryArgs = Static<typeof Retry>

/** Makes the recipients that a retry selected pending again, a batch at a time. */
export const RetryRecipients = job('campaign.retry', Retry, { queue: 'default' })

/** Cancels the messages that a stopped campaign has not sent yet, a batch at a time. */
export const WithdrawMessages = job('campaign.withdraw-messages', OneCampaign, { queue: 'default' })

/**
 * Publishes a change of a campaign that was held back. Its queue has only jobs that touch nothing
 * but the database, so nothing slow runs before it.
 */
export const PublishCampaignChange = job('campaign.publish-change', OneCampaign, {
  queue: 'inbound-status',
})

/** Copies the recipients of a campaign to a draft, a batch at a time. */
export const CopyRecipients = job(
  'campaign.copy-recipients',
  Type.Object({
    from: Type.String(),
    to: Type.String(),
    after: Type.String(),
    asker: Type.Object({ userId: idOrNull, apiKeyId: idOrNull }),
  }),
  { queue: 'default' },
)

/** Imports a file of recipients. */
export const ImportRecipients = job('campaign.import', Type.Object({ importId: Type.String() }), {
  queue: 'default',
})

/** Erases the recipients of a deleted campaign, a batch at a time. */
export const EraseRecipients = job(
  'campaign.erase-recipients',
  Type.Object({ campaignId: Type.String(), after: Type.String() }),
  { queue: 'default' },
)

/** Erases a contact from the recipients of all campaigns after the contact was erased. */
export const EraseContactRecipients = job('campaign.erase-contact', ContactDeleted.payload, {
  queue: 'default',
})

/**
 * Erases the imported phone numbers and user IDs of an erased person that belong to no contact, a
 * batch at a time.
 */
export const EraseRecipientNumbers = job(
  'campaign.erase-numbers',
  Type.Composite([
    ContactErased.payload,
    Type.Object({
      after: Type.Optional(Type.Object({ campaignId: Type.String(), id: Type.String() })),
    }),
  ]),
  { queue: 'default' },
)

/** Pauses the campaigns of a phone number that can no longer send, or resumes waiting ones. */
export const WatchAccount = job('campaign.watch-account', AccountChanged.payload, {
  queue: 'default',
})

/** Pauses the campaigns of a template that can no longer be sent or whose category changed. */
export const WatchTemplate = job('campaign.watch-template', TemplateChanged.payload, {
  queue: 'default',
})

/** Continues campaigns whose pause has ended or whose job was lost. */
export const SweepCampaigns = job('campaign.sweep', Type.Object({}), { queue: 'default' })

/** Compares the counters of campaigns with their recipients. */
export const CompareCampaignCounts = job('campaign.compare-counts', Type.Object({}), {
  queue: 'default',
})
