import { useState, type ReactNode } from 'react'

import { call } from '../../api/client'
import type { User } from '../../api/shapes'
import { Confirm } from '../../parts/dialog'
import { FormDialog } from '../../parts/form-dialog'
import { MenuItem } from '../../parts/menu'
import { notify, report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { AvailabilityItem } from './availability-item'
import { PeopleSessions } from './people-sessions'
import { SecretDialog } from '../../parts/secret-dialog'
import { useRefresh } from '../../live/use-refresh'

/** What can be done about the sign-in of a colleague. */
const CHANGES = ['reset-password', 'reset-two-factor', 'sessions'] as const

const ICONS = {
  'reset-password': 'key',
  'reset-two-factor': 'phone',
  sessions: 'logout',
} as const

/** A change of somebody's sign-in that is being asked about. */
export interface AccessChange {
  user: User
  change: (typeof CHANGES)[number]
}

/** Returns the items of a menu that change whether a colleague gets work, and how they sign in. */
export function accessMenu(user: User, onChoose: (chosen: AccessChange) => void): ReactNode {
  const items = CHANGES.filter(
    (change) =>
      (change !== 'reset-two-factor' || user.two_factor_enabled) &&
      // the account of a guest is a matter of another organization, or of the guest
      (change === 'sessions' || !user.is_member),
  ).map((change) => (
    <MenuItem
      key={change}
      icon={ICONS[change]}
      label={t(`settings.people.${change}`)}
      onAction={() => {
        onChoose({ user, change })
      }}
    />
  ))
  return (
    <>
      {user.is_active && <AvailabilityItem user={user} />}
      {items}
    </>
  )
}

interface Link {
  reset_url: string
  expires_at: string
}

/** Asks before it changes how a colleague signs in; shows the link for a new password once. */
export function AccessDialog({ user, change, onClose }: AccessChange & { onClose: () => void }) {
  const [link, setLink] = useState<Link | null>(null)
  const [isEnding, setEnding] = useState(false)
  const refresh = useRefresh('GET /api/users')
  const params = { id: user.id }
  const name = user.full_name
  const run = async (): Promise<void> => {
    if (change === 'reset-two-factor') {
      await call('POST /api/users/{id}/2fa/reset', { params })
      notify(t('settings.people.two-factor-off', { name }))
    } else {
      await call('DELETE /api/users/{id}/sessions', { params })
      notify(t('settings.people.sessions-ended', { name }))
    }
    await refresh()
  }
  if (link)
    return (
      <SecretDialog
        title={t('settings.people.reset-password')}
        hint={t('settings.people.reset-link-hint', {
          name,
          time: formatDateTime(link.expires_at),
        })}
        secret={link.reset_url}
        onClose={onClose}
      />
    )
  if (change === 'reset-password')
    return (
      <FormDialog
        title={t('settings.people.reset-password')}
        submit={t('settings.people.reset-password-submit')}
        isKeptOpen
        onClose={onClose}
        onSave={async () => {
          setLink(await call('POST /api/users/{id}/password-reset', { params }))
        }}
      >
        <p>{t('settings.people.reset-password-hint', { name })}</p>
      </FormDialog>
    )
  if (change === 'sessions' && !isEnding)
    return (
      <PeopleSessions
        user={user}
        onClose={onClose}
        onEndAll={() => {
          setEnding(true)
        }}
      />
    )
  const asked = change === 'sessions' ? 'end-sessions' : change
  return (
    <Confirm
      isOpen
      title={t(`settings.people.${asked}`)}
      text={t(`settings.people.${asked}-hint`, { name })}
      action={t(`settings.people.${asked}`)}
      onClose={onClose}
      onConfirm={() => {
        run().catch(report)
      }}
    />
  )
}
