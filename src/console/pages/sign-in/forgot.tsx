import { useState } from 'react'

import { call } from '../../api/client'
import { ApiError } from '../../api/error'
import { Button } from '../../parts/button'
import { Form, TextField, textOf } from '../../parts/field'
import { sentenceOf, Trouble } from '../../parts/state'
import { findText, t } from '../../texts/texts'
import { SignInCard } from './card'

const troubleOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return sentenceOf(error)
  if (error.code === 'mail_not_configured') return t('sign-in.forgot.no-mail')
  return findText(`sign-in.error.${error.code}`) ?? error.message
}

/** Requests a link for a new password. */
export function Forgot({ email, onBack }: { email: string; onBack: () => void }) {
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isSent, setSent] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const submit = (address: string): void => {
    setBusy(true)
    setTrouble(null)
    call('POST /api/auth/password/forgot', { body: { email: address } })
      .then(() => {
        setSent(true)
      })
      .catch((error: unknown) => {
        setTrouble(troubleOf(error))
      })
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <SignInCard title={t('sign-in.forgot.title')} hint={t('sign-in.forgot.hint')}>
      {trouble !== null && <Trouble>{trouble}</Trouble>}
      {isSent && <p role="status">{t('sign-in.forgot.sent')}</p>}
      <Form
        onSubmit={(data) => {
          submit(textOf(data, 'email').trim())
        }}
      >
        {!isSent && (
          <>
            <TextField
              name="email"
              type="email"
              label={t('sign-in.email')}
              defaultValue={email}
              isRequired
              autoComplete="username"
              autoFocus
            />
            <Button type="submit" look="primary" isPending={isBusy}>
              {t('sign-in.forgot.submit')}
            </Button>
          </>
        )}
        <Button look="quiet" onPress={onBack}>
          {t('sign-in.forgot.back')}
        </Button>
      </Form>
    </SignInCard>
  )
}
