import { and, eq, inArray } from 'drizzle-orm'

import { ConflictError, InvalidError } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { runHooks } from '../../../infra/transaction-hooks'
import { emit, eraseEventsIn, newestPosition } from '../../../infra/outbox/events'
import { recordPersonalDataChange } from '../../organization/audit/record'
import { campaignRecipients, campaigns } from '../../outreach/campaigns/table'
import { removeExcludedNumbersIn } from '../../automation/chatbot-settings/save'
import { eraseContactRowIn, idsOfPerson } from '../contacts/erase/erase'
import { ContactClosed, ContactDeleted, ContactErased, PersonErased } from '../contacts/events'
import { changeContactIn } from '../contacts/service'
import { suppressIn } from '../contacts/erase/suppression'
import type { ContactRow } from '../contacts/view'
import { viewersOf, getErasableContact, getVisibleContact } from '../contacts/sight/visibility'
import { EraseContact, EraseContactFiles } from './jobs'
import { countOfContact } from '../../data/privacy/count-data'
import {
  privacyRequestView,
  type PrivacyRequestView,
  type PrivacyRow,
} from '../../data/privacy/model'
import { beginWorkIn } from '../../organization/notifications/work/note'
import { countErasedIn, openRequestIn, refuseOnLegalHold } from '../../data/privacy/requests'

/**
 * Deletes a contact and its files. The contact is restored with its history when its number or user
 * ID writes again. With `isForGood`, erases its messages, files, notes and identities instead, also
 * in stored webhook deliveries, and a later message creates a new contact. A contact deleted
 * earlier can still be erased. Throws NotFoundError and ConflictError `campaign_running`.
 */
export function deleteContact(ctx: Ctx, id: string, isForGood: boolean): void {
  transact(ctx.db, (tx) => {
    const row = isForGood ? getErasableContact(ctx, id) : getVisibleContact(ctx, id)
    const seenBy = viewersOf(ctx, id)
    if (isForGood) eraseIn(tx, ctx, row, { seenBy, reason: null })
    else {
      deleteIn(tx, ctx, row)
      emit(tx, ctx, ContactDeleted, {
        contactId: id,
        payload: { contactId: id, reason: 'deleted', mergedInto: null, seenBy },
      })
      recordPersonalDataChange(tx, ctx, {
        action: 'deleted',
        resourceType: 'contact',
        resourceId: id,
      })
    }
  })
}

/**
 * Erases a person on request and returns the receipt. `confirm` repeats the contact ID. Throws
 * NotFoundError, InvalidError `confirm_mismatch`, and ConflictError `request_open` and
 * `legal_hold`.
 */
export function eraseOnRequest(
  ctx: Ctx,
  id: string,
  { confirm, reason = null }: { confirm: string; reason?: string | null },
): PrivacyRequestView {
  return transact(ctx.db, (tx) => {
    const row = getErasableContact(ctx, id)
    if (confirm.trim().toLowerCase() !== id)
      throw new InvalidError('`confirm` must equal the contact ID in the path.', {
        code: 'confirm_mismatch',
        errors: [{ path: 'body.confirm', message: 'must equal the contact ID in the path' }],
      })
    const request = eraseIn(tx, ctx, row, { seenBy: viewersOf(ctx, id), reason })
    beginWorkIn(tx, ctx, {
      ...{ kind: 'erasure', id: request.id, title: '', total: null },
      link: `/settings/privacy/${request.id}`,
    })
    return privacyRequestView(request)
  })
}

/** Erases an inactive contact for the retention policy. Runs inside the caller's transaction. */
export const eraseInactiveIn = (tx: Tx, ctx: Ctx, row: ContactRow): PrivacyRow =>
  eraseIn(tx, ctx, row, { seenBy: viewersOf(ctx, row.id), reason: 'inactive' })

/**
 * Refuses to erase a contact that a running campaign still has to send to. Throws ConflictError
 * `campaign_running`.
 */
function refuseWhileCampaignRuns(ctx: Ctx, contactId: string): void {
  const waiting = ctx.db.orm
    .select({ id: campaigns.id, name: campaigns.name })
    .from(campaignRecipients)
    .innerJoin(
      campaigns,
      and(
        eq(campaigns.organizationId, campaignRecipients.organizationId),
        eq(campaigns.id, campaignRecipients.campaignId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        and(
          eq(campaignRecipients.contactId, contactId),
          inArray(campaignRecipients.status, ['pending', 'sending']),
          inArray(campaigns.status, ['scheduled', 'sending', 'paused']),
        ),
      ),
    )
    .limit(1)
    .get()
  if (waiting)
    throw new ConflictError(
      `Campaign "${waiting.name}" has not sent to this contact yet. Cancel the campaign ` +
        'first.',
      {
        code: 'campaign_running',
        details: { campaign_id: waiting.id },
      },
    )
}

/**
 * Deletes a contact and its logged events without publishing the deletion. Runs inside the caller's
 * transaction.
 */
export function deleteIn(tx: Tx, ctx: Ctx, row: ContactRow): void {
  runHooks(tx, ctx, ContactClosed, { contactId: row.id, reason: 'deleted' })
  changeContactIn(tx, ctx, row.id, { deletedAtMs: ctx.clock.nowMs() })
  const upTo = newestPosition(ctx)
  eraseEventsIn(tx, ctx, row.id, upTo)
  enqueue(tx, ctx, EraseContactFiles, { args: { contactId: row.id, after: '', upTo } })
}

/**
 * Number of steps of an erasure that complete independently: conversations (with stored responses
 * and archives), webhook deliveries, imports, campaigns, imported campaign recipients, exports, archives of
 * the organization, payloads of outbound webhooks.
 */
const PARTS = 8

/**
 * Erases the contact's own data and schedules jobs for the rest. Returns the request, which is the
 * receipt. Throws ConflictError `request_open`, `legal_hold`, `campaign_running`.
 */
function eraseIn(
  tx: Tx,
  ctx: Ctx,
  row: ContactRow,
  { seenBy, reason }: { seenBy: string[]; reason: string | null },
): PrivacyRow {
  refuseOnLegalHold(ctx)
  refuseWhileCampaignRuns(ctx, row.id)
  runHooks(tx, ctx, ContactClosed, { contactId: row.id, reason: 'erased' })
  const request = openRequestIn(tx, ctx, { kind: 'erase', contactId: row.id, reason, parts: PARTS })
  const upTo = newestPosition(ctx)
  const gone = { counts: {}, ids: [] }
  runHooks(tx, ctx, PersonErased, { contactIds: idsOfPerson(ctx, row.id), gone })
  countErasedIn(tx, ctx, request.id, {
    ...gone.counts,
    ...countOfContact(ctx, row.id),
    events: eraseEventsIn(tx, ctx, row.id, upTo),
  })
  const names = eraseContactRowIn(tx, ctx, row.id)
  suppressIn(tx, ctx, names)
  countErasedIn(tx, ctx, request.id, {
    excluded_numbers: removeExcludedNumbersIn(tx, ctx, names),
  })
  const traces = names.flatMap((name) => ctx.vault.codeDigests(name))
  emit(tx, ctx, ContactErased, {
    contactId: null,
    payload: { traces, erasedAtMs: ctx.clock.nowMs(), requestId: request.id },
  })
  enqueue(tx, ctx, EraseContact, {
    args: {
      ...{ contactId: row.id, requestId: request.id, upTo, traces, after: null },
      goneIds: gone.ids,
    },
  })
  emit(tx, ctx, ContactDeleted, {
    contactId: row.id,
    payload: {
      contactId: row.id,
      reason: 'erased',
      mergedInto: null,
      seenBy,
      requestId: request.id,
    },
  })
  recordPersonalDataChange(tx, ctx, {
    action: 'erased',
    resourceType: 'contact',
    resourceId: row.id,
  })
  return request
}
