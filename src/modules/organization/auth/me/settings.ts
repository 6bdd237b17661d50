import { InvalidError } from '../../../../lib/errors'
import { languageTag } from '../../../../lib/fields'
import { freeObjectProblems } from '../../../../lib/free-object'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { differences, recordAudit } from '../../audit/record'
import { findUser, updateUserIn, type UserRow } from '../../users/service'
import type { OwnSettings, OwnSettingsChanges } from './model'

/** Limits of what a client keeps for a user. */
const UI_LIMITS = { bytes: 16 * 1024, levels: 8 }

/** Returns the caller's settings as the API shows them. */
export const ownSettingsView = (user: UserRow): OwnSettings => ({
  email_notifications: user.emailNotifications,
  new_message_alerts: user.newMessageAlerts,
  campaign_updates: user.campaignUpdates,
  language: user.language,
  ui: JSON.parse(user.ui) as OwnSettings['ui'],
})

/** Returns the new columns of a user; fields that were not sent stay unchanged. */
function columnsOf(user: UserRow, changes: OwnSettingsChanges) {
  const { language } = changes
  return {
    emailNotifications: changes.email_notifications ?? user.emailNotifications,
    newMessageAlerts: changes.new_message_alerts ?? user.newMessageAlerts,
    campaignUpdates: changes.campaign_updates ?? user.campaignUpdates,
    language:
      typeof language === 'string'
        ? languageTag(language)
        : language === null
          ? null
          : user.language,
    ui: changes.ui === undefined ? user.ui : JSON.stringify(changes.ui),
  }
}

/**
 * Updates the caller's settings; only the fields sent change. Throws InvalidError if `ui` is too
 * large.
 */
export function updateOwnSettings(
  ctx: Ctx,
  user: UserRow,
  changes: OwnSettingsChanges,
): OwnSettings {
  const errors = freeObjectProblems(changes.ui ?? {}, 'body.ui', UI_LIMITS)
  if (errors[0])
    throw new InvalidError(`\`ui\` ${errors[0].message}.`, { code: 'invalid_input', errors })
  const before = ownSettingsView(user)
  return transact(ctx.db, (tx) => {
    updateUserIn(tx, ctx, user.id, columnsOf(user, changes))
    const after = ownSettingsView(findUser(ctx, user.id) ?? user)
    // The layout of a screen is nothing to look up later.
    const changed = differences({ ...before, ui: null }, { ...after, ui: null })
    if (changed.length > 0)
      recordAudit(tx, ctx, {
        action: 'updated',
        resourceType: 'user_settings',
        resourceId: user.id,
        resourceName: user.fullName,
        changes: changed,
      })
    return after
  })
}
