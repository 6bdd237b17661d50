import { and, eq } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { InvalidError } from '../../../../lib/errors'
import { languageTag } from '../../../../lib/fields'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { runHooks } from '../../../../infra/transaction-hooks'
import { CreativeOptOutTurnedOn, TimezoneChanged } from '../hooks'
import { searchKey } from '../../../../infra/search-keys'
import { differences, recordAudit } from '../../audit/record'
import { PermissionsChanged } from '../../memberships/events'
import type { SettingsChanges, SettingsView } from '../model'
import { getOrganization, settingsView, type OrganizationRow } from '../service'
import { requirePricedCurrency, requireRisingWarnings, storedSpend } from '../spend'
import { teams } from '../../../inbox/teams/table'
import { organizations } from '../table'

const tagOf = (language: string | null): string | null =>
  language === null ? null : languageTag(language)

const viewOf = (row: OrganizationRow): SettingsView => ({
  name: row.name,
  settings: settingsView(row),
  updated_at: isoTime(row.updatedAtMs),
})

/** Returns name and settings of the scope's organization (spec 4.4). */
export const getSettings = (ctx: Ctx): SettingsView => viewOf(getOrganization(ctx))

/** Requires that a queue is none, the general one or that of an active team. Throws InvalidError. */
function requireQueue(ctx: Ctx, queue: string): void {
  if (queue === 'nobody' || queue === 'general') return
  const isTeam = and(eq(teams.id, queue), eq(teams.isActive, true))
  const team = ctx.db.orm
    .select({ id: teams.id })
    .from(teams)
    .where(inOrganization(ctx, teams, isTeam))
    .get()
  if (team) return
  throw new InvalidError('`new_conversations` must be `nobody`, `general` or an active team.', {
    code: 'team_inactive',
    errors: [{ path: 'body.new_conversations', message: 'is not an active team' }],
  })
}

/**
 * Updates the given fields (spec 4.4). Masking applies from the next request and event; sockets of
 * people whose view changes are notified. Throws InvalidError `team_inactive`.
 */
export function updateSettings(ctx: Ctx, changes: SettingsChanges): SettingsView {
  return transact(ctx.db, (tx) => {
    const before = getOrganization(ctx)
    if (changes.spend) {
      requireRisingWarnings(changes.spend)
      requirePricedCurrency(ctx, changes.spend)
    }
    if (changes.new_conversations !== undefined) requireQueue(ctx, changes.new_conversations)
    const wanted = {
      name: changes.name?.trim() ?? before.name,
      maskPhoneNumbers: changes.mask_phone_numbers ?? before.maskPhoneNumbers,
      timezone: changes.timezone ?? before.timezone,
      dateFormat: changes.date_format ?? before.dateFormat,
      registrationPolicy: changes.registration_policy ?? before.registrationPolicy,
      messageActivitySharing: changes.message_activity_sharing ?? before.messageActivitySharing,
      creativeOptOut: changes.creative_opt_out ?? before.creativeOptOut,
      templateMaxPrice: changes.template_max_price ?? before.templateMaxPrice,
      newConversations: changes.new_conversations ?? before.newConversations,
      pushShowsContent: changes.push_shows_content ?? before.pushShowsContent,
      language: changes.language === undefined ? before.language : tagOf(changes.language),
      defaultCountry:
        changes.default_country === undefined ? before.defaultCountry : changes.default_country,
    }
    const after = {
      ...before,
      ...wanted,
      updatedAtMs: ctx.clock.nowMs(),
      // A new budget warns again.
      ...(changes.spend === undefined
        ? {}
        : { spend: storedSpend(changes.spend), spendWarned: null }),
    }
    const { spend, spendWarned } = after
    const changed = differences(
      { name: before.name, ...settingsView(before) },
      { name: after.name, ...settingsView(after) },
    )
    if (changed.length === 0) return viewOf(before)
    tx.update(organizations)
      .set({
        ...wanted,
        spend,
        spendWarned,
        nameKey: searchKey(wanted.name),
        updatedAtMs: after.updatedAtMs,
      })
      .where(eq(organizations.id, ctx.organizationId))
      .run()
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'organization_settings',
      resourceId: ctx.organizationId,
      resourceName: after.name,
      changes: changed,
    })
    if (after.timezone !== before.timezone) runHooks(tx, ctx, TimezoneChanged, {})
    if (after.creativeOptOut && !before.creativeOptOut)
      runHooks(tx, ctx, CreativeOptOutTurnedOn, {})
    if (after.maskPhoneNumbers !== before.maskPhoneNumbers)
      emit(tx, ctx, PermissionsChanged, {
        contactId: null,
        payload: { userId: null, reason: 'masking_changed' },
      })
    return viewOf(after)
  })
}
