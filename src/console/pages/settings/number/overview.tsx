import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { TextField } from '../../../parts/field'
import type { Merge } from '../../../parts/merge'
import { Page, Section } from '../../../parts/page'
import { Select } from '../../../parts/select'
import { notify, report } from '../../../parts/toast'
import { t, type TextKey } from '../../../texts/texts'
import { ConnectDialog } from '../signup/connect-dialog'
import { useSignupDialogs } from '../signup/use-signup'
import { useRefresh } from '../../../live/use-refresh'
import { Facts } from './facts'
import { NumberScreen, type Frame } from './frame'
import { Health, useTesting } from './health'
import { Routing } from './routing'
import { Badges, loadTemplates } from './row'
import { TroubleList } from './trouble-list'
import { NumberWebhook } from './webhook'

type Values = Pick<Account, 'name' | 'is_default_outgoing' | 'auto_read_receipt' | 'updated_at'> & {
  policy: Account['marketing_path']['policy']
}

const valuesOf = (account: Account): Values => ({
  name: account.name,
  is_default_outgoing: account.is_default_outgoing,
  auto_read_receipt: account.auto_read_receipt,
  policy: account.marketing_path.policy,
  updated_at: account.updated_at,
})

const LABELS: Record<keyof Values, TextKey> = {
  name: 'settings.field.name',
  is_default_outgoing: 'number.default',
  auto_read_receipt: 'settings.numbers.receipts',
  policy: 'number.marketing',
  updated_at: 'settings.field.name',
}
const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as Account),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'policy' ? t(`number.marketing.${value as Values['policy']}`) : null,
}
const POLICIES = ['fallback', 'strict'] as const

/** What a number is called here, and how it is used. */
function Settings({ draft: { value, set } }: { draft: Draft<Values> }) {
  return (
    <Section title={t('number.settings')} hint={t('number.settings-hint')}>
      <div className="form">
        <TextField
          name="name"
          label={t('settings.field.name')}
          value={value.name}
          onChange={(name) => {
            set({ name })
          }}
          isRequired
          maxLength={100}
        />
        <Switch
          isSelected={value.is_default_outgoing}
          onChange={(isOn) => {
            set({ is_default_outgoing: isOn })
          }}
        >
          {t('number.default')}
        </Switch>
        <Switch
          isSelected={value.auto_read_receipt}
          onChange={(isOn) => {
            set({ auto_read_receipt: isOn })
          }}
        >
          {t('settings.numbers.receipts')}
        </Switch>
        <Select
          label={t('number.marketing')}
          hint={t('number.marketing-hint')}
          choices={POLICIES.map((id) => ({ id, label: t(`number.marketing.${id}`) }))}
          value={value.policy}
          onChange={(policy) => {
            set({ policy })
          }}
        />
      </div>
    </Section>
  )
}

/** The settings for those who only read. */
const SettingsRead = ({ account }: { account: Account }) => (
  <Section title={t('number.settings')}>
    <Facts
      facts={[
        [
          t('number.default'),
          t(account.is_default_outgoing ? 'parts.merge.on' : 'parts.merge.off'),
        ],
        [
          t('settings.numbers.receipts'),
          t(account.auto_read_receipt ? 'parts.merge.on' : 'parts.merge.off'),
        ],
        [t('number.marketing'), t(`number.marketing.${account.marketing_path.policy}`)],
      ]}
    />
  </Section>
)

/** What is wrong, how the number works, and who gets its chats. */
function State({ account }: { account: Account }) {
  const params = { id: account.id }
  const routing = useApi('GET /api/accounts/{id}/routing', { params }).data
  const testing = useTesting(account)
  const [opened, setOpened] = useState<'setup' | 'receive' | null>(null)
  const dialogs = useSignupDialogs(useCan('accounts:create'))
  const close = (): void => {
    setOpened(null)
  }
  return (
    <>
      <TroubleList
        account={account}
        isStandby={routing?.is_standby === true}
        onTest={testing.run}
        onSetup={() => {
          setOpened('setup')
        }}
        onReceive={() => {
          setOpened('receive')
        }}
        onResume={() => {
          call('POST /api/accounts/{id}/resume', { params })
            .then(() => {
              notify(t('number.resumed'))
            })
            .catch(report)
        }}
        onTemplates={() => {
          loadTemplates(account)
        }}
      />
      <Health account={account} routing={routing} testing={testing} />
      <Routing account={account} routing={routing} />
      {opened === 'setup' && (
        <ConnectDialog dialogs={dialogs} accountId={account.id} onClose={close} />
      )}
      {opened === 'receive' && <NumberWebhook account={account} onClose={close} />}
    </>
  )
}

function OverviewForm({ account, frame }: { account: Account; frame: Frame }) {
  const draft = useDraft(valuesOf(account))
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}')
  return (
    <EditPage
      {...frame}
      draft={draft}
      merge={MERGE}
      onSave={async ({ policy, ...changes }, { updated_at: ifMatch }) => {
        const body = { ...changes, ...(policy ? { marketing_path: { policy } } : {}) }
        await call('PUT /api/accounts/{id}', { params: { id: account.id }, body, ifMatch })
        await refresh()
      }}
    >
      <State account={account} />
      <Settings draft={draft} />
    </EditPage>
  )
}

/** The first part of a number's screen: how it works, and what it is called. */
export function NumberOverview() {
  const canEdit = useCan('accounts:update')
  return (
    <NumberScreen>
      {(account, bare) => {
        const frame = {
          ...bare,
          actions: (
            <div className="chips">
              <Badges account={account} />
            </div>
          ),
        }
        return canEdit ? (
          <OverviewForm account={account} frame={frame} />
        ) : (
          <Page {...frame}>
            <State account={account} />
            <SettingsRead account={account} />
          </Page>
        )
      }}
    </NumberScreen>
  )
}
