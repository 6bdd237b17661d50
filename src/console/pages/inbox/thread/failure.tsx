import { Link } from '@tanstack/react-router'

import { call } from '../../../api/client'
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

/** Returns why a message was not sent, or that it is not known. */
function causeOf({ error, status }: Item): string {
  if (status === 'unknown') return t('inbox.failure.outcome_unknown')
  if (!error) return t('inbox.status.failed')
  return findText(`inbox.failure.${error.code}`) ?? error.message
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
      {mayWrite && code === 'window_closed' && (
        <PlainButton className="link" onPress={onTemplate}>
          {t('inbox.failure.template')}
        </PlainButton>
      )}
      {mayWrite && code !== 'window_closed' && (
        <PlainButton
          className="link"
          onPress={() => {
            call('POST /api/messages/{id}/resend', {
              params: { id: item.id },
              body: {},
              idempotencyKey: crypto.randomUUID(),
            }).catch(report)
          }}
        >
          {t('inbox.message.resend')}
        </PlainButton>
      )}
    </div>
  )
}
