import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Button } from '../../../parts/button'
import { Confirm } from '../../../parts/dialog'
import { Loaded } from '../../../parts/loaded'
import { Section } from '../../../parts/page'
import { Trouble } from '../../../parts/state'
import { notify, report } from '../../../parts/toast'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { Value } from './webhook'

/** The key with which WhatsApp encrypts what customers enter into forms. */
export function FlowKeySection({ account: { id } }: { account: Account }) {
  const params = { id }
  const canEdit = useCan('accounts:update')
  const key = useApi('GET /api/accounts/{id}/flow-key', { params })
  const refresh = useRefresh('GET /api/accounts/{id}/flow-key', 'GET /api/accounts/{id}')
  const [isAsked, setAsked] = useState(false)
  const create = (): void => {
    call('POST /api/accounts/{id}/flow-key', { params })
      .then(refresh)
      .then(() => {
        notify(t('number.flow-key.created'))
      })
      .catch(report)
  }
  return (
    <Section
      title={t('number.flow-key')}
      hint={t('number.flow-key-hint')}
      actions={
        canEdit &&
        key.data && (
          <Button onPress={key.data.public_key === null ? create : () => setAsked(true)}>
            {t('number.flow-key.create')}
          </Button>
        )
      }
    >
      <Loaded result={key} rows={1}>
        {({ public_key: text, signature_status: status, created_at: at }) =>
          text === null ? (
            <p className="muted">{t('number.flow-key.none')}</p>
          ) : (
            <>
              {status === 'MISMATCH' && <Trouble>{t('number.flow-key.mismatch')}</Trouble>}
              <p>{t('number.flow-key.since', { time: formatDateTime(at ?? '') })}</p>
              <Value label={t('number.flow-key.public')} value={text} />
            </>
          )
        }
      </Loaded>
      <Confirm
        isOpen={isAsked}
        title={t('number.flow-key.create')}
        text={t('number.flow-key.ask')}
        action={t('number.flow-key.create')}
        onClose={() => {
          setAsked(false)
        }}
        onConfirm={create}
      />
    </Section>
  )
}
