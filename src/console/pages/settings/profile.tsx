import { useState } from 'react'

import { call } from '../../api/client'
import { reloadMe } from '../../api/session'
import type { OwnSettingsChanges } from '../../api/shapes'
import { useMe, usePreferences } from '../../live/me'
import { setPreferences } from '../../live/preferences'
import { Button } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { fieldErrors, Form, PasswordField, TextField, textOf } from '../../parts/field'
import { Page, Section } from '../../parts/page'
import { Select } from '../../parts/select'
import { sentenceOf, Trouble } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { languageFor, LANGUAGES, type Language } from '../../texts/languages'
import { t } from '../../texts/texts'
import { Memberships } from './memberships'
import { PasswordDialog } from './password-dialog'
import { PushSwitch } from './push-switch'
import { Sessions } from './sessions'
import { TwoFactor } from './two-factor'

/** Name and email of the user. A new email needs the password. */
function Person() {
  const me = useMe()
  const [email, setEmail] = useState(me.email)
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const isNewEmail = email.trim() !== me.email
  const save = (data: FormData): void => {
    setBusy(true)
    setError(null)
    call('PUT /api/me', {
      body: {
        full_name: textOf(data, 'full_name'),
        ...(isNewEmail ? { email, current_password: textOf(data, 'current_password') } : {}),
      },
    })
      .then(reloadMe)
      .then(() => {
        notify(t('settings.state.saved'))
      })
      .catch(setError)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Form onSubmit={save} validationErrors={fieldErrors(error)}>
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      <TextField
        name="full_name"
        label={t('settings.profile.name')}
        defaultValue={me.full_name}
        isRequired
        autoComplete="name"
      />
      <TextField
        name="email"
        type="email"
        label={t('settings.profile.email')}
        value={email}
        onChange={setEmail}
        isRequired
        autoComplete="email"
      />
      {isNewEmail && (
        <PasswordField
          name="current_password"
          label={t('settings.profile.password.current')}
          hint={t('settings.profile.password.why')}
          isRequired
          autoComplete="current-password"
        />
      )}
      <footer className="actions">
        <Button type="submit" look="primary" isPending={isBusy}>
          {t('settings.action.save')}
        </Button>
      </footer>
    </Form>
  )
}

const change = (body: OwnSettingsChanges): void => {
  call('PUT /api/me/settings', { body }).then(reloadMe).catch(report)
}

/** The language of the console, and what the user is told about. */
function Choices() {
  const { settings, organization } = useMe()
  const { hasKeys, isEnterBreak } = usePreferences()
  const language = languageFor(settings.language, organization.settings.language)
  return (
    <div className="form">
      <Select
        label={t('settings.profile.language')}
        choices={Object.entries(LANGUAGES).map(([id, label]) => ({ id: id as Language, label }))}
        value={language}
        onChange={(chosen) => {
          change({ language: chosen })
        }}
      />
      <div className="switches">
        {(['new_message_alerts', 'campaign_updates', 'email_notifications'] as const).map(
          (name) => (
            <Switch
              key={name}
              isSelected={settings[name]}
              onChange={(isOn) => {
                change({ [name]: isOn })
              }}
            >
              {t(`settings.profile.${name}`)}
            </Switch>
          ),
        )}
        <Notices />
        <PushSwitch />
        <Switch
          isSelected={hasKeys}
          onChange={(isOn) => {
            setPreferences({ hasKeys: isOn })
          }}
        >
          {t('settings.profile.keys')}
        </Switch>
        <Switch
          isSelected={isEnterBreak}
          onChange={(isOn) => {
            setPreferences({ isEnterBreak: isOn })
          }}
        >
          {t('settings.profile.enter-break')}
        </Switch>
      </div>
    </div>
  )
}

/** How this device tells about messages. The browser is asked only when it is switched on. */
function Notices() {
  const { hasSound, hasSystemNotices } = usePreferences()
  return (
    <>
      <Switch
        isSelected={hasSound}
        onChange={(isOn) => {
          setPreferences({ hasSound: isOn })
        }}
      >
        {t('settings.profile.sound')}
      </Switch>
      <Switch
        isSelected={hasSystemNotices}
        onChange={(isOn) => {
          setPreferences({ hasSystemNotices: false })
          if (!isOn) return
          Notification.requestPermission()
            .then((answer) => {
              if (answer === 'granted') setPreferences({ hasSystemNotices: true })
              else notify(t('settings.profile.system-notices.denied'))
            })
            .catch(report)
        }}
      >
        {t('settings.profile.system-notices')}
      </Switch>
    </>
  )
}

/** What the user decides alone: name, password, language, sessions. */
export function Profile() {
  const [isOpen, setOpen] = useState(false)
  return (
    <Page title={t('settings.profile.title')}>
      <Section title={t('settings.profile.person')}>
        <Person />
      </Section>
      <Section title={t('settings.profile.choices')}>
        <Choices />
      </Section>
      <Section
        title={t('settings.profile.password.title')}
        hint={t('settings.profile.password.hint')}
        actions={
          <Button
            onPress={() => {
              setOpen(true)
            }}
          >
            {t('settings.profile.password.change')}
          </Button>
        }
      >
        {isOpen && (
          <PasswordDialog
            onClose={() => {
              setOpen(false)
            }}
          />
        )}
      </Section>
      <TwoFactor />
      <Sessions />
      <Memberships />
    </Page>
  )
}
