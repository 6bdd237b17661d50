import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account, CallingSettings } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { useDraft, type Draft } from '../../../parts/draft'
import { EditPage } from '../../../parts/edit-page'
import { NumberField, TextField } from '../../../parts/field'
import { Loaded } from '../../../parts/loaded'
import { Page, Section } from '../../../parts/page'
import { formatCountry, formatList } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { USUAL_WEEK, Week, weekInWords } from '../../../parts/week'
import { SecretDialog } from '../../../parts/secret-dialog'
import { useRefresh } from '../../../live/use-refresh'
import { mergeOf } from './calling-merge'
import { changesOf, USUAL_PORT, valuesOf, type Values } from './calling-values'
import { Countries } from './countries'
import { Facts } from './facts'
import { NumberScreen, type Frame } from './frame'

interface PartProps {
  draft: Draft<Values>
}

/** Whether customers can call, and from where. */
function Calls({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('number.calling.calls')} hint={t('number.calling.calls-hint')}>
      <div className="form">
        <Switch
          isSelected={value.isOn}
          onChange={(isOn) => {
            set({ isOn })
          }}
        >
          {t('number.calling.on')}
        </Switch>
        <div className="choice-with-hint">
          <Switch
            isSelected={value.hasButton}
            onChange={(hasButton) => {
              set({ hasButton })
            }}
          >
            {t('number.calling.button')}
          </Switch>
          <p className="muted small">{t('number.calling.button-hint')}</p>
        </div>
        {value.hasButton && (
          <Countries
            countries={value.countries}
            onChange={(countries) => {
              set({ countries })
            }}
          />
        )}
        <div className="choice-with-hint">
          <Switch
            isSelected={value.asksToCallBack}
            onChange={(asksToCallBack) => {
              set({ asksToCallBack })
            }}
          >
            {t('number.calling.callback')}
          </Switch>
          <p className="muted small">{t('number.calling.callback-hint')}</p>
        </div>
      </div>
    </Section>
  )
}

/** When customers can call. */
function CallHours({ draft: { value, set }, zone }: PartProps & { zone: string }) {
  return (
    <Section title={t('number.calling.hours')} hint={t('settings.hours.zone', { zone })}>
      <Switch
        isSelected={value.hasHours}
        onChange={(hasHours) => {
          const isFirst = hasHours && value.hours.length === 0
          set({ hasHours, ...(isFirst ? { hours: USUAL_WEEK } : {}) })
        }}
      >
        {t('number.calling.only-hours')}
      </Switch>
      {value.hasHours && (
        <Week
          hours={value.hours}
          onChange={(hours) => {
            set({ hours })
          }}
        />
      )}
    </Section>
  )
}

/** A telephone system of the business, which answers instead of the console. */
function Server({ draft: { value, set } }: PartProps) {
  return (
    <Section title={t('number.calling.server')} hint={t('number.calling.server-hint')}>
      <div className="form">
        <Switch
          isSelected={value.hasServer}
          onChange={(hasServer) => {
            set({ hasServer })
          }}
        >
          {t('number.calling.server-on')}
        </Switch>
        {value.hasServer && (
          <>
            <TextField
              name="sip.servers.0.hostname"
              label={t('number.calling.host')}
              isRequired
              maxLength={255}
              value={value.host}
              onChange={(host) => {
                set({ host: host.trim() })
              }}
            />
            <NumberField
              name="sip.servers.0.port"
              label={t('number.calling.port')}
              hint={t('number.calling.port-hint', { port: String(USUAL_PORT) })}
              range={[1, 65_535]}
              value={value.port}
              onChange={(port) => {
                set({ port })
              }}
              onClear={() => {
                set({ port: null })
              }}
            />
          </>
        )}
      </div>
    </Section>
  )
}

interface Props {
  account: Account
  settings: CallingSettings
  frame: Frame
}

function CallingForm({ account, settings, frame }: Props) {
  const draft = useDraft(valuesOf(settings))
  const refresh = useRefresh('GET /api/accounts/{id}/calling')
  const [password, setPassword] = useState<string | null>(null)
  const { timezone } = useMe().organization.settings
  return (
    <EditPage
      {...frame}
      draft={draft}
      merge={mergeOf(account.id)}
      onSave={async (changes, seen) => {
        const saved = await call('PUT /api/accounts/{id}/calling', {
          params: { id: account.id },
          body: changesOf(changes, { value: { ...seen, ...changes }, stored: settings }),
        })
        setPassword(saved.sip.password)
        await refresh()
      }}
    >
      <Calls draft={draft} />
      <CallHours draft={draft} zone={timezone} />
      <Server draft={draft} />
      {password !== null && (
        <SecretDialog
          title={t('number.calling.password')}
          hint={t('number.calling.password-hint')}
          secret={password}
          onClose={() => {
            setPassword(null)
          }}
        />
      )}
    </EditPage>
  )
}

/** The calling settings for those who only read. */
function CallingRead({ settings }: { settings: CallingSettings }) {
  const value = valuesOf(settings)
  const yesOrNo = (is: boolean): string => t(is ? 'number.yes' : 'number.no')
  return (
    <Section title={t('number.calling.calls')}>
      <Facts
        facts={[
          [t('number.calling.on'), yesOrNo(value.isOn)],
          [t('number.calling.button'), yesOrNo(value.hasButton)],
          [
            t('number.calling.countries'),
            value.countries.length === 0
              ? t('number.calling.everywhere')
              : formatList(value.countries.map(formatCountry)),
          ],
          [t('number.calling.callback'), yesOrNo(value.asksToCallBack)],
          [
            t('number.calling.hours'),
            value.hasHours ? weekInWords(value.hours) : t('number.calling.always'),
          ],
          [t('number.calling.server'), value.hasServer ? value.host : null],
        ]}
      />
    </Section>
  )
}

/** Whether and when customers can call a number. */
export function NumberCalling() {
  return (
    <NumberScreen>
      {(account, frame) => <CallingOf key={account.id} account={account} frame={frame} />}
    </NumberScreen>
  )
}

function CallingOf({ account, frame }: Omit<Props, 'settings'>) {
  const canEdit = useCan('accounts:update')
  const result = useApi('GET /api/accounts/{id}/calling', { params: { id: account.id } })
  if (result.data && canEdit)
    return <CallingForm account={account} frame={frame} settings={result.data} />
  return (
    <Page {...frame}>
      <Loaded result={result} rows={6}>
        {(settings) => <CallingRead settings={settings} />}
      </Loaded>
    </Page>
  )
}
