import { useEffect, useState } from 'react'

import { ApiError } from '../../api/error'
import { signIn } from '../../api/session'
import { Button } from '../../parts/button'
import { Form, PasswordField, TextField, textOf } from '../../parts/field'
import { sentenceOf, Trouble } from '../../parts/state'
import { findText, t } from '../../texts/texts'
import { SignInCard } from './card'
import { Forgot } from './forgot'

/** Returns the sentence for an error of a sign-in. */
const troubleOf = (error: unknown): string =>
  (error instanceof ApiError ? findText(`sign-in.error.${error.code}`) : null) ?? sentenceOf(error)

type Step = 'password' | 'code' | 'forgot'

/** The state of a sign-in: its step, what was typed and what went wrong. */
function useSignIn(onTyped: (password: string) => void) {
  const [step, setStep] = useState<Step>('password')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = (code?: string): void => {
    setBusy(true)
    setTrouble(null)
    onTyped(password)
    signIn({ email, password, ...(code === undefined ? {} : { code }) })
      .then((error) => {
        if (error?.code === 'two_factor_required') setStep('code')
        else if (error) setTrouble(troubleOf(error))
      })
      .catch((error: unknown) => {
        setTrouble(troubleOf(error))
      })
      .finally(() => {
        setBusy(false)
      })
  }
  const go = (next: Step): void => {
    setTrouble(null)
    setStep(next)
  }
  return { step, go, email, setEmail, password, setPassword, trouble, isBusy, submit }
}

/**
 * The sign-in: email and password, then a code if the account has two-factor authentication.
 *
 * @param onTyped Takes the password, which the person may have to replace in the next step.
 */
export function SignIn({ onTyped }: { onTyped: (password: string) => void }) {
  const { step, go, email, trouble, isBusy, submit, ...fields } = useSignIn(onTyped)
  useEffect(() => {
    document.title = `${t('sign-in.title')} · Switchboard`
  }, [])
  const back = (): void => {
    go('password')
  }
  if (step === 'forgot') return <Forgot email={email} onBack={back} />
  if (step === 'code')
    return <CodeStep trouble={trouble} isBusy={isBusy} onSubmit={submit} onBack={back} />
  return (
    <SignInCard title={t('sign-in.title')}>
      {trouble !== null && <Trouble>{trouble}</Trouble>}
      <Form
        onSubmit={() => {
          submit()
        }}
      >
        <TextField
          name="email"
          type="email"
          label={t('sign-in.email')}
          value={email}
          onChange={fields.setEmail}
          isRequired
          autoComplete="username"
          autoFocus
        />
        <PasswordField
          name="password"
          label={t('sign-in.password')}
          value={fields.password}
          onChange={fields.setPassword}
          isRequired
          autoComplete="current-password"
        />
        <Button type="submit" look="primary" isPending={isBusy}>
          {t('sign-in.submit')}
        </Button>
        <Button
          look="quiet"
          onPress={() => {
            go('forgot')
          }}
        >
          {t('sign-in.forgot')}
        </Button>
      </Form>
    </SignInCard>
  )
}

interface CodeProps {
  trouble: string | null
  isBusy: boolean
  onSubmit: (code: string) => void
  onBack: () => void
}

function CodeStep({ trouble, isBusy, onSubmit, onBack }: CodeProps) {
  return (
    <SignInCard title={t('sign-in.code.title')} hint={t('sign-in.code.hint')}>
      {trouble !== null && <Trouble>{trouble}</Trouble>}
      <Form
        onSubmit={(data) => {
          onSubmit(textOf(data, 'code').trim())
        }}
      >
        <TextField
          name="code"
          label={t('sign-in.code.label')}
          isRequired
          autoComplete="one-time-code"
          autoFocus
        />
        <Button type="submit" look="primary" isPending={isBusy}>
          {t('sign-in.code.submit')}
        </Button>
        <Button look="quiet" onPress={onBack}>
          {t('sign-in.code.back')}
        </Button>
      </Form>
    </SignInCard>
  )
}
