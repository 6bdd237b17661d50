import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import type { Item } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { PlainButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { report } from '../../../parts/toast'
import { findText, t } from '../../../texts/texts'

interface Props {
  item: Item
  /** Shows the templates, which can be sent at any time. */
  onTemplate: () => void
}

/** Causes that lie in the connected number. */
const OF_NUMBER = /^(?:account_|token_|permission_missing|payment_required)/

/** Whether the server itself sent the message again. */
const isRepeated = (error: Item['error']): boolean =>
  error?.code === 'outcome_unknown' && !error.retryable

/** Returns why a message was not sent, or that it is not known. */
function causeOf({ error, status }: Item): string {
  if (status === 'unknown' && isRepeated(error)) return t('inbox.failure.repeated')
  if (status === 'unknown') return t('inbox.failure.outcome_unknown')
  if (!error) return t('inbox.status.failed')
  return findText(`inbox.failure.${error.code}`) ?? error.message
}

/** Causes that only a template can help against. */
const NEEDS_TEMPLATE = new Set(['window_closed', 'direct_send_refused', 'direct_send_blocked'])

const pending = new Set<string>()

/** Sends a message again, once however often it is asked for meanwhile. Returns whether it was taken. */
async function resend(id: string): Promise<boolean> {
  if (pending.has(id)) return false
  pending.add(id)
  try {
    await callOnce('POST /api/messages/{id}/resend', { params: { id }, body: {} })
    return true
  } catch (error) {
    report(error)
    return false
  } finally {
    pending.delete(id)
  }
}

/** The button that sends a message again. Once that was done, the new message has its own. */
function ResendButton({ id }: { id: string }) {
  const [state, setState] = useState<'idle' | 'pending' | 'done'>('idle')
  return (
    <PlainButton
      className="link"
      isDisabled={state !== 'idle'}
      onPress={() => {
        setState('pending')
        resend(id)
          .then((isDone) => {
            setState(isDone ? 'done' : 'idle')
          })
          .catch(report)
      }}
    >
      {t('inbox.message.resend')}
    </PlainButton>
  )
}

/** Why a message failed, and the way out. A message that may have been sent is sent again by a person only. */
export function Failure({ item, onTemplate }: Props) {
  const mayWrite = useCan('messages:create')
  const mayConnect = useCan('accounts:read')
  const code = item.error?.code ?? ''
  return (
    <div className="failure">
      <Icon name={item.status === 'unknown' ? 'question' : 'warning'} size={14} />
      <span>{causeOf(item)}</span>
      {mayConnect && OF_NUMBER.test(code) && (
        <Link to="/settings/numbers" search={{}} className="link">
          {t('inbox.failure.show-number')}
        </Link>
      )}
      {code === 'contact_blocked' && (
        <Link to="/contacts/$contactId" params={{ contactId: item.contact_id }} className="link">
          {t('inbox.panel.open-profile')}
        </Link>
      )}
      {mayWrite && NEEDS_TEMPLATE.has(code) && (
        <PlainButton className="link" onPress={onTemplate}>
          {t('inbox.failure.template')}
        </PlainButton>
      )}
      {mayWrite && !NEEDS_TEMPLATE.has(code) && !isRepeated(item.error) && (
        <ResendButton id={item.id} />
      )}
    </div>
  )
}
