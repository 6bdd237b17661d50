import { useState } from 'react'

import { call } from '../../api/client'
import { reloadMe } from '../../api/session'
import { useMe } from '../../live/me'
import { Button } from '../../parts/button'
import { PasswordField, TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Section } from '../../parts/page'
import { QrCode } from '../../parts/qr-code'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { SecretDialog } from '../../parts/secret-dialog'

type Setup = { secret: string; otpauth_url: string }

/** The field for a code of the authenticator app. */
const CodeField = () => (
  <TextField
    name="code"
    label={t('sign-in.code.label')}
    autoComplete="one-time-code"
    isRequired
    autoFocus
  />
)

const CurrentPassword = () => (
  <PasswordField
    name="current_password"
    label={t('settings.profile.password.current')}
    autoComplete="current-password"
    isRequired
  />
)

/** Turns two-factor authentication on: password, code of the app, backup codes. */
function EnableDialog({ onClose }: { onClose: () => void }) {
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  if (codes) return <BackupCodes codes={codes} onClose={onClose} />
  if (!setup)
    return (
      <FormDialog
        title={t('settings.two-factor.enable')}
        submit={t('sign-in.code.submit')}
        isKeptOpen
        onClose={onClose}
        onSave={async (data) => {
          const body = { current_password: textOf(data, 'current_password') }
          setSetup(await call('POST /api/me/2fa/setup', { body }))
        }}
      >
        <CurrentPassword />
      </FormDialog>
    )
  return (
    <FormDialog
      key="code"
      title={t('settings.two-factor.enable')}
      submit={t('settings.two-factor.enable')}
      isKeptOpen
      onClose={onClose}
      onSave={async (data) => {
        const body = { code: textOf(data, 'code').trim() }
        const { backup_codes: made } = await call('POST /api/me/2fa/enable', { body })
        setCodes(made)
      }}
    >
      <p>{t('settings.two-factor.scan')}</p>
      <QrCode text={setup.otpauth_url} label={t('settings.two-factor.qr')} />
      <p className="muted small">{t('settings.two-factor.by-hand')}</p>
      <code className="wrapped" dir="ltr">
        {setup.secret}
      </code>
      <CodeField />
    </FormDialog>
  )
}

/** Shows backup codes once. The profile changes only when they are stored. */
function BackupCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <SecretDialog
      title={t('settings.two-factor.codes')}
      hint={t('settings.two-factor.codes-hint')}
      secret={codes.join('\n')}
      onClose={() => {
        onClose()
        reloadMe().catch(() => undefined)
      }}
    />
  )
}

/** Turns two-factor authentication off, or makes new backup codes; both need password and code. */
function ProofDialog({ wish, onClose }: { wish: 'disable' | 'codes'; onClose: () => void }) {
  const [codes, setCodes] = useState<string[] | null>(null)
  if (codes) return <BackupCodes codes={codes} onClose={onClose} />
  return (
    <FormDialog
      title={t(`settings.two-factor.${wish}`)}
      submit={t(`settings.two-factor.${wish}`)}
      isKeptOpen
      onClose={onClose}
      onSave={async (data) => {
        const body = {
          current_password: textOf(data, 'current_password'),
          code: textOf(data, 'code').trim(),
        }
        if (wish === 'codes') {
          const { backup_codes: made } = await call('POST /api/me/2fa/backup-codes', { body })
          setCodes(made)
          return
        }
        await call('POST /api/me/2fa/disable', { body })
        onClose()
        await reloadMe()
        notify(t('settings.two-factor.off'))
      }}
    >
      <CurrentPassword />
      <CodeField />
    </FormDialog>
  )
}

/** Two-factor authentication of the user: whether it is on, and how to change that. */
export function TwoFactor() {
  const { two_factor_enabled: isOn } = useMe()
  const [open, setOpen] = useState<'enable' | 'disable' | 'codes' | null>(null)
  const close = (): void => {
    setOpen(null)
  }
  const button = (wish: 'enable' | 'disable' | 'codes') => (
    <Button
      onPress={() => {
        setOpen(wish)
      }}
    >
      {t(`settings.two-factor.${wish}`)}
    </Button>
  )
  return (
    <Section
      title={t('settings.two-factor.title')}
      hint={t(isOn ? 'settings.two-factor.is-on' : 'settings.two-factor.is-off')}
      actions={
        isOn ? (
          <>
            {button('codes')}
            {button('disable')}
          </>
        ) : (
          button('enable')
        )
      }
    >
      {open === 'enable' && <EnableDialog onClose={close} />}
      {(open === 'disable' || open === 'codes') && <ProofDialog wish={open} onClose={close} />}
    </Section>
  )
}
