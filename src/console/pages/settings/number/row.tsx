import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useNow } from '../../../live/use-now'
import { Button } from '../../../parts/button'
import { MenuItem } from '../../../parts/menu'
import { notify, report } from '../../../parts/toast'
import { formatDate, formatDateTime } from '../../../texts/format'
import { formatPhone } from '../../../texts/phone'
import { t } from '../../../texts/texts'
import {
  accessState,
  isUnfinished,
  needsOnlySubscription,
  needsVerification,
} from '../signup/setup-steps'

const LOOKS = { active: 'good', pending: 'warn', disconnected: 'danger', suspended: 'danger' }
const QUALITIES = { GREEN: 'good', YELLOW: 'warn', RED: 'danger', UNKNOWN: '' }

/** How it stands with a number, in chips. */
export function Badges({ account }: { account: Account }) {
  const isUnverified = needsVerification(account)
  return (
    <>
      {!isUnverified && (
        <span className={`chip ${LOOKS[account.status]}`}>
          {t(`settings.numbers.status.${account.status}`)}
        </span>
      )}
      {account.quality_rating !== 'UNKNOWN' && (
        <span className={`chip ${QUALITIES[account.quality_rating]}`}>
          {t(`settings.numbers.quality.${account.quality_rating}`)}
        </span>
      )}
      {isUnverified && <span className="chip warn">{t('signup.chip.unverified')}</span>}
      {account.routing_roles?.length === 0 && (
        <span className="chip danger">{t('settings.numbers.roles.chip')}</span>
      )}
      {!account.subscribed && (
        <span className="chip warn">{t('settings.numbers.not-subscribed')}</span>
      )}
      <AccessChip account={account} />
    </>
  )
}

const MINUTE_MS = 60_000

/** Says when the platform's access ends, if that is soon. */
function AccessChip({ account }: { account: Account }) {
  const state = accessState(account, useNow(MINUTE_MS))
  if (state === null) return null
  const date = formatDate(account.token_expires_at ?? '')
  return (
    <span className={`chip ${state === 'over' ? 'danger' : 'warn'}`}>
      {t(`signup.chip.${state}`, { date })}
    </span>
  )
}

/** Returns the number, and when something was received last. */
export const hintOf = ({ display_phone_number: number, last_inbound_at: last }: Account): string =>
  [
    // a number keeps its direction between words of another one
    number === null ? null : `\u2066${formatPhone(number)}\u2069`,
    last === null
      ? t('settings.numbers.no-inbound')
      : t('settings.numbers.inbound', { time: formatDateTime(last) }),
  ]
    .filter((fact) => fact !== null)
    .join(' · ')

interface ActionsProps {
  account: Account
  onSetup: () => void
  onReceive: () => void
}

/** Stands in the row as long as the number neither sends nor receives: what is left to do. */
export function NextButton({ account, onSetup, onReceive }: ActionsProps) {
  const canEdit = useCan('accounts:update')
  if (!canEdit || !isUnfinished(account)) return null
  if (!needsOnlySubscription(account))
    return <Button onPress={onSetup}>{t('signup.setup.action')}</Button>
  return <Button onPress={onReceive}>{t('settings.numbers.receive')}</Button>
}

/** Loads the templates of a number's business account, and says how many there are. */
export function loadTemplates({ id }: Account): void {
  call('POST /api/templates/sync', { body: { account_id: id } })
    .then(({ synced }) => {
      notify(t('settings.numbers.synced', { count: synced }))
    })
    .catch(report)
}

/** What else can be done with a number: set it up, subscribe webhooks, load templates. */
export function NumberActions({ account, onSetup, onReceive }: ActionsProps) {
  const canEdit = useCan('accounts:update')
  const canSync = useCan('templates:sync')
  return (
    <>
      {canEdit && <MenuItem icon="checks" label={t('signup.setup.menu')} onAction={onSetup} />}
      {canEdit && (
        <MenuItem icon="link" label={t('settings.numbers.receive')} onAction={onReceive} />
      )}
      {canSync && (
        <MenuItem
          icon="refresh"
          label={t('settings.numbers.sync')}
          onAction={() => {
            loadTemplates(account)
          }}
        />
      )}
    </>
  )
}
