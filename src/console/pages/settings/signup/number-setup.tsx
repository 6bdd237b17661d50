import type { ReactNode } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { useApi } from '../../../live/query'
import { useCan } from '../../../live/me'
import { useNow } from '../../../live/use-now'
import { Button } from '../../../parts/button'
import { Icon, type IconName } from '../../../parts/icons'
import { Loaded } from '../../../parts/loaded'
import { Trouble } from '../../../parts/state'
import { report } from '../../../parts/toast'
import { formatDate, formatDateTime, formatPercent } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { numberOf } from '../number/number-of'
import { META_PAGES, MetaLink } from './meta-link'
import { RegisterNumber } from './register-number'
import { canRegister, setupSteps, type SetupStep, type SetupState } from './setup-steps'
import type { SignupKind } from './use-signup'
import { VerifyNumber } from './verify-number'

const MINUTE_MS = 60_000

interface Props {
  accountId: string
  /** Whether it was connected just now. */
  isNew?: boolean
  error?: string | null
  /** Goes through the platform's dialog again; `null` if the server has none. */
  onRenew: ((kind: SignupKind) => void) | null
  onClose: () => void
}

/** What is left to do for a number, each step with its reason and its action. */
export function NumberSetup({ accountId, isNew = false, error = null, onRenew, onClose }: Props) {
  const nowMs = useNow(MINUTE_MS)
  const account = useApi('GET /api/accounts/{id}', { params: { id: accountId } })
  return (
    <>
      {error !== null && <Trouble>{error}</Trouble>}
      <Loaded result={account} rows={5}>
        {(known) => (
          <>
            <p role="status">
              {isNew ? t('signup.connected', { name: known.name }) : <NumberLine account={known} />}
            </p>
            <ol className="item-list steps" aria-label={t('signup.setup.title')}>
              {setupSteps(known, nowMs).map((step) => (
                <Step key={step.key} account={known} step={step} onRenew={onRenew} />
              ))}
            </ol>
          </>
        )}
      </Loaded>
      <footer className="actions">
        <Button look="primary" onPress={onClose}>
          {t('signup.setup.close')}
        </Button>
      </footer>
    </>
  )
}

const NumberLine = ({ account }: { account: Account }) => (
  <>
    <bdi>{account.name}</bdi>
    {' · '}
    <bdi>{numberOf(account)}</bdi>
  </>
)

const MARKS: Record<SetupState, IconName | null> = {
  done: 'check',
  open: null,
  running: 'clock',
  failed: 'warning',
  advised: 'info',
}

interface StepProps {
  account: Account
  step: SetupStep
  onRenew: Props['onRenew']
}

function Step({ account, step, onRenew }: StepProps) {
  const canEdit = useCan('accounts:update')
  const { key, state } = step
  const mark = MARKS[state]
  return (
    <li className={`item setup-step ${state}`}>
      <span className="step-mark" role="img" aria-label={t(`signup.mark.${state}`)}>
        {mark && <Icon name={mark} size={16} />}
      </span>
      <div className="grow">
        <p className="item-name">{t(`signup.${key}.name`)}</p>
        {state !== 'done' && (
          <>
            <Reason account={account} step={step} onRenew={onRenew} />
            {canEdit && <Action account={account} step={step} onRenew={onRenew} />}
          </>
        )}
      </div>
    </li>
  )
}

/** Says why a step is needed, or how far it is. */
function Reason({ account, step: { key, state }, onRenew }: StepProps) {
  const nowMs = useNow(MINUTE_MS)
  const number = numberOf(account)
  const end = account.token_expires_at
  const words = (): string => {
    switch (key) {
      case 'verify':
        return t('signup.verify.why', { number })
      case 'contacts':
      case 'history':
        return copyReason(account, key)
      case 'register':
        return t(canRegister(account) ? 'signup.register.why' : 'signup.register.later')
      case 'business':
        return t(
          account.business_verification_status === 'pending'
            ? 'signup.business.pending'
            : 'signup.business.why',
        )
      case 'payment':
        return t(state === 'open' ? 'signup.payment.missing' : 'signup.payment.why')
      case 'token':
        return tokenReason(end ?? '', { nowMs, hasDialog: onRenew !== null })
      default:
        return t(`signup.${key}.why`)
    }
  }
  return <p className="muted small">{words()}</p>
}

function tokenReason(
  end: string,
  { nowMs, hasDialog }: { nowMs: number; hasDialog: boolean },
): string {
  const values = { date: formatDate(end) }
  if (!hasDialog) return t('signup.token.by-hand', values)
  return t(Date.parse(end) <= nowMs ? 'signup.token.over' : 'signup.token.why', values)
}

/** Says how far the copy of contacts or chats is, or why there will be none. */
function copyReason(
  { phone_app_sync: copy, subscribed }: Account,
  key: 'contacts' | 'history',
): string {
  const state = copy?.[key]
  if (!copy || state === 'missed' || state === 'declined')
    return t(state === 'declined' ? 'signup.copy.declined' : 'signup.copy.missed')
  if (state === 'waiting' && copy.until !== null)
    return t(subscribed ? 'signup.copy.waiting' : 'signup.copy.blocked', {
      time: formatDateTime(copy.until),
    })
  return copy.history_progress === null
    ? t('signup.copy.requested')
    : t('signup.copy.progress', { percent: formatPercent(copy.history_progress / 100) })
}

function Action({ account, step: { key, state }, onRenew }: StepProps): ReactNode {
  switch (key) {
    case 'verify':
      return <VerifyNumber account={account} />
    case 'register':
      return canRegister(account) ? <RegisterNumber account={account} /> : null
    case 'subscribe':
      return (
        <Button
          onPress={() => {
            const params = { id: account.id }
            call('POST /api/accounts/{id}/subscribe', { params, body: {} }).catch(report)
          }}
        >
          {t('signup.subscribe.submit')}
        </Button>
      )
    case 'business':
      return <MetaLink href={META_PAGES.security}>{t('signup.business.submit')}</MetaLink>
    case 'payment':
      return <Payment account={account} isMissing={state === 'open'} />
    case 'contacts':
    case 'history':
      return state === 'failed' && onRenew ? (
        <Renew words={t('signup.copy.submit')} onPress={() => onRenew('phone-app')} />
      ) : null
    case 'token':
      return onRenew ? (
        <Renew
          words={t('signup.token.submit')}
          onPress={() => onRenew(account.is_on_phone_app ? 'phone-app' : 'new')}
        />
      ) : null
  }
}

/** Leads to the page for it. Once WhatsApp said that there is none, a person says that there is. */
const Payment = ({ account, isMissing }: { account: Account; isMissing: boolean }) => (
  <div className="setup-actions">
    <MetaLink href={account.funding.billing_url}>{t('signup.payment.page')}</MetaLink>
    {isMissing && (
      <Button
        onPress={() => {
          call('POST /api/accounts/{id}/resume', { params: { id: account.id } }).catch(report)
        }}
      >
        {t('signup.payment.submit')}
      </Button>
    )}
  </div>
)

const Renew = ({ words, onPress }: { words: string; onPress: () => void }) => (
  <Button onPress={onPress}>{words}</Button>
)
