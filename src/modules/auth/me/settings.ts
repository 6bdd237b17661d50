import { languageTag } from '../../../lib/fields'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { differences, recordAudit } from '../../audit/record'
import { findUser, updateUserIn, type UserRow } from '../../users/service'
import type { OwnSettings, OwnSettingsChanges } from './model'

/** Returns the caller's settings as the API shows them. */
export const ownSettingsView = (user: UserRow): OwnSettings => ({
  email_notifications: user.emailNotifications,
  new_message_alerts: user.newMessageAlerts,
  campaign_updates: user.campaignUpdates,
  language: user.language,
})

/** Updates the caller's settings; only the fields sent change. */
export function updateOwnSettings(
  ctx: Ctx,
  user: UserRow,
  changes: OwnSettingsChanges,
): OwnSettings {
  const before = ownSettingsView(user)
  const wanted = {
    emailNotifications: changes.email_notifications ?? user.emailNotifications,
    newMessageAlerts: changes.new_message_alerts ?? user.newMessageAlerts,
    campaignUpdates: changes.campaign_updates ?? user.campaignUpdates,
    language:
      typeof changes.language === 'string'
        ? languageTag(changes.language)
        : changes.language === null
          ? null
          : user.language,
  }
  return transact(ctx.db, (tx) => {
    updateUserIn(tx, ctx, user.id, wanted)
    const after = ownSettingsView(findUser(ctx, user.id) ?? user)
    const changed = differences(before, after)
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
