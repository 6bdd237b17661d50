import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { Button } from '../../../parts/button'
import { Confirm } from '../../../parts/dialog'
import { useDraft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { Page, Section } from '../../../parts/page'
import { notify, report } from '../../../parts/toast'
import { formatDateTime } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { DeleteDialog } from '../delete-dialog'
import { ConnectDialog } from '../signup/connect-dialog'
import { useSignupDialogs } from '../signup/use-signup'
import { useRefresh } from '../../../live/use-refresh'
import { AccessFields, accessOf, bodyOf, MERGE } from './access'
import { Facts } from './facts'
import { FlowKeySection } from './flow-key'
import { NumberScreen, type Frame } from './frame'
import { RegisterDialog } from './register-dialog'
import { Receive } from './webhook'

/** Whether the messages of a number arrive here; begins and ends it. */
function Subscription({ account }: { account: Account }) {
  const [isAsked, setAsked] = useState(false)
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}')
  const { subscribed: isOn, subscribed_at: at } = account
  return (
    <Section
      title={t('number.receive')}
      hint={
        isOn && at !== null
          ? t('number.receive.since', { time: formatDateTime(at) })
          : t(isOn ? 'number.receive.on' : 'number.receive.off')
      }
      actions={
        isOn && (
          <Button
            onPress={() => {
              setAsked(true)
            }}
          >
            {t('number.receive.end')}
          </Button>
        )
      }
    >
      <div className="form">
        <Receive account={account} />
      </div>
      <Confirm
        isOpen={isAsked}
        title={t('number.receive.end')}
        text={t('number.receive.end-ask', { id: account.business_id })}
        action={t('number.receive.end')}
        onClose={() => {
          setAsked(false)
        }}
        onConfirm={() => {
          call('DELETE /api/accounts/{id}/subscribe', { params: { id: account.id } })
            .then(refresh)
            .then(() => {
              notify(t('number.receive.ended'))
            })
            .catch(report)
        }}
      />
    </Section>
  )
}

const yesOrNo = (is: boolean): string => t(is ? 'number.yes' : 'number.no')

/** What WhatsApp knows a number by, and the steps of setting it up. */
function Identity({ account }: { account: Account }) {
  const canEdit = useCan('accounts:update')
  const dialogs = useSignupDialogs(useCan('accounts:create'))
  const [opened, setOpened] = useState<'setup' | 'register' | null>(null)
  const close = (): void => {
    setOpened(null)
  }
  const { registered, is_on_phone_app: isOnPhone, token_expires_at: end } = account
  return (
    <Section
      title={t('number.identity')}
      actions={
        canEdit && (
          <div className="setup-actions">
            {!isOnPhone && (
              <Button
                onPress={() => {
                  setOpened('register')
                }}
              >
                {t(registered === true ? 'number.register-again' : 'number.register')}
              </Button>
            )}
            <Button
              onPress={() => {
                setOpened('setup')
              }}
            >
              {t('signup.setup.menu')}
            </Button>
          </div>
        )
      }
    >
      <Facts
        facts={[
          [t('settings.numbers.phone-id'), account.phone_id],
          [t('settings.numbers.business-id'), account.business_id],
          [t('number.portfolio'), account.portfolio_id],
          [t('number.is-registered'), registered === null ? null : yesOrNo(registered)],
          [t('number.on-phone'), yesOrNo(isOnPhone)],
          [t('number.test-number'), account.is_test_number ? yesOrNo(true) : null],
          [t('number.access-ends'), end === null ? t('number.access-stays') : formatDateTime(end)],
        ]}
      />
      {opened === 'setup' && (
        <ConnectDialog dialogs={dialogs} accountId={account.id} onClose={close} />
      )}
      {opened === 'register' && <RegisterDialog account={account} onClose={close} />}
    </Section>
  )
}

/** Disconnects a number after a question. */
function Disconnect({ account }: { account: Account }) {
  const [isAsked, setAsked] = useState(false)
  const navigate = useNavigate()
  const refresh = useRefresh('GET /api/accounts')
  return (
    <Section
      title={t('settings.numbers.disconnect')}
      hint={t('settings.numbers.delete')}
      actions={
        <Button
          look="danger"
          onPress={() => {
            setAsked(true)
          }}
        >
          {t('settings.numbers.disconnect')}
        </Button>
      }
    >
      {isAsked && (
        <DeleteDialog
          name={account.name}
          text={t('settings.numbers.delete')}
          onDelete={async () => {
            await call('DELETE /api/accounts/{id}', { params: { id: account.id } })
            await navigate({ to: '/settings/numbers', search: {} })
            await refresh()
          }}
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </Section>
  )
}

function ConnectionForm({ account, frame }: { account: Account; frame: Frame }) {
  const draft = useDraft(accessOf(account))
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}')
  const canDelete = useCan('accounts:delete')
  return (
    <EditPage
      {...frame}
      draft={draft}
      merge={MERGE}
      onSave={async (changes, { updated_at: ifMatch }) => {
        const body = bodyOf(changes)
        await call('PUT /api/accounts/{id}', { params: { id: account.id }, body, ifMatch })
        await refresh()
      }}
    >
      <Subscription account={account} />
      <Identity account={account} />
      <AccessFields draft={draft} />
      <FlowKeySection account={account} />
      {canDelete && <Disconnect account={account} />}
    </EditPage>
  )
}

/** How a number is connected with WhatsApp. */
export function NumberConnection() {
  const canEdit = useCan('accounts:update')
  const canDelete = useCan('accounts:delete')
  return (
    <NumberScreen>
      {(account, frame) =>
        canEdit ? (
          <ConnectionForm account={account} frame={frame} />
        ) : (
          <Page {...frame}>
            <Identity account={account} />
            <FlowKeySection account={account} />
            {canDelete && <Disconnect account={account} />}
          </Page>
        )
      }
    </NumberScreen>
  )
}
