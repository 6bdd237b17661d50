import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { useLine } from '../../../live/line'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button, IconButton } from '../../../parts/button'
import { copyText } from '../../../parts/copy'
import { Dialog } from '../../../parts/dialog'
import { sentenceOf, Trouble } from '../../../parts/state'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'

/** A value to enter elsewhere, with a button that copies it. */
export function Value({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <p className="muted small">{label}</p>
      <div className="secret">
        <code dir="ltr">{value}</code>
        <IconButton
          icon="copy"
          label={[t('settings.secret.copy'), label].join(': ')}
          onPress={() => {
            copyText(value)
          }}
        />
      </div>
    </div>
  )
}

/** The verify token, shown when somebody asks for it: each look is recorded in the audit log. */
function VerifyToken({ id }: { id: string }) {
  const [token, setToken] = useState<string | null | undefined>(undefined)
  const label = t('settings.numbers.receive.token')
  if (token) return <Value label={label} value={token} />
  return (
    <div>
      <p className="muted small">{label}</p>
      {token === null ? (
        <p>{t('settings.numbers.receive.no-token')}</p>
      ) : (
        <Button
          onPress={() => {
            call('POST /api/accounts/{id}/verify-token', { params: { id } })
              .then(({ verify_token: text }) => {
                setToken(text)
              })
              .catch(report)
          }}
        >
          {[t('settings.numbers.receive.show'), label].join(': ')}
        </Button>
      )}
    </div>
  )
}

/** How long somebody waits for WhatsApp's check before the dialog says what to look at. */
const PATIENCE_MS = 60_000

/** Whether WhatsApp has checked the callback of a number since this is shown. */
function useIsChecked(accountId: string): boolean {
  const [isChecked, setChecked] = useState(false)
  const { listen } = useLine()
  useEffect(
    () =>
      listen(({ type, payload }) => {
        const { id, changed } = payload
        if (type === 'account:updated' && id === accountId && Array.isArray(changed))
          setChecked((known) => known || changed.includes('callback'))
      }),
    [listen, accountId],
  )
  return isChecked
}

/** Returns the conversation of the first message to a number since this is shown, or `null`. */
function useFirstMessage(accountId: string): string | null {
  const [conversationId, setConversationId] = useState<string | null>(null)
  const { listen } = useLine()
  useEffect(
    () =>
      listen(({ type, payload: { account_id: of, direction, conversation_id: id } }) => {
        if (type === 'message:new' && of === accountId && direction === 'incoming')
          setConversationId((known) => known ?? String(id))
      }),
    [listen, accountId],
  )
  return conversationId
}

/** Gives the focus to what has just appeared. */
const focusOnce = (shown: HTMLElement | null): void => {
  shown?.focus()
}

/** The way on, in the place of the button that was pressed: to the first message, once it is here. */
function Next({ accountId }: { accountId: string }) {
  const conversationId = useFirstMessage(accountId)
  return (
    <>
      <p role="status" className="chip good">
        {t(`settings.numbers.receive.${conversationId === null ? 'done' : 'first'}`)}
      </p>
      {conversationId === null ? (
        <Link className="button primary" to="/" ref={focusOnce}>
          {t('settings.numbers.receive.next')}
        </Link>
      ) : (
        <Link
          className="button primary"
          to="/inbox/$conversationId"
          params={{ conversationId }}
          search={{}}
          ref={focusOnce}
        >
          {t('settings.numbers.receive.open')}
        </Link>
      )}
    </>
  )
}

/** Whether some time has passed since this is shown. */
function useIsLate(): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      setLate(true)
    }, PATIENCE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [])
  return isLate
}

/**
 * Says live whether WhatsApp's check of what was entered at Meta has come, and after a while what to
 * look at.
 */
function CallbackCheck({ id }: { id: string }) {
  const isChecked = useIsChecked(id)
  const isLate = useIsLate()
  if (isChecked)
    return (
      <p role="status" className="chip good">
        {t('settings.numbers.receive.checked')}
      </p>
    )
  return (
    <div role="status" className="muted">
      <p>{t('settings.numbers.receive.waiting')}</p>
      {isLate && <p>{t('settings.numbers.receive.late')}</p>}
    </div>
  )
}

/**
 * Lets WhatsApp report the messages of a number to this server, and loads its templates, in one
 * press; or shows what is entered at Meta by hand.
 */
export function Receive({ account: { id } }: { account: Account }) {
  const params = { id }
  const config = useApi('GET /api/accounts/{id}/webhook-config', { params })
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}', 'GET /api/setup')
  const canSync = useCan('templates:sync')
  const [state, setState] = useState<'idle' | 'busy' | 'done'>('idle')
  const [error, setError] = useState<unknown>(null)
  const address = config.data?.callback_url ?? null
  const receive = async (): Promise<void> => {
    setState('busy')
    setError(null)
    try {
      await call('POST /api/accounts/{id}/subscribe', {
        params,
        body: { override_callback: true },
      })
      if (canSync) await call('POST /api/templates/sync', { body: { account_id: id } })
      setState('done')
    } catch (failure) {
      setError(failure)
      setState('idle')
    }
    await refresh()
  }
  return (
    <>
      <p>{t('settings.numbers.receive.text')}</p>
      {address?.startsWith('http:') === true && state !== 'done' && (
        <Trouble>{t('settings.numbers.receive.local')}</Trouble>
      )}
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      {state === 'done' ? (
        <Next accountId={id} />
      ) : (
        <>
          <Button
            look="primary"
            isPending={state === 'busy'}
            onPress={() => {
              receive().catch(report)
            }}
          >
            {t('settings.numbers.receive.submit')}
          </Button>
          <ByHand id={id} address={address} />
        </>
      )}
    </>
  )
}

/** What is entered at Meta by hand, and whether that was seen. */
const ByHand = ({ id, address }: { id: string; address: string | null }) => (
  <>
    <h3>{t('settings.numbers.receive.by-hand')}</h3>
    <p className="muted">{t('settings.numbers.receive.where')}</p>
    {address !== null && <Value label={t('settings.numbers.receive.callback')} value={address} />}
    <VerifyToken id={id} />
    <CallbackCheck id={id} />
  </>
)

/** The window in which a number begins to receive its messages here. */
export const NumberWebhook = ({ account, onClose }: { account: Account; onClose: () => void }) => (
  <Dialog
    title={t('settings.numbers.receive.title', { name: account.name })}
    size="medium"
    isOpen
    onClose={onClose}
  >
    <Receive account={account} />
  </Dialog>
)
