import { useEffect, useRef, useState } from 'react'

import { callOnce } from '../../api/call-once'
import { type Body } from '../../api/client'
import { ApiError } from '../../api/error'
import { useApi } from '../../live/query'
import { openSignupDialog } from '../../live/signup-dialog'
import { Button, PlainButton } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { sentenceOf, Trouble } from '../../parts/state'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { NumberDialog } from './number-dialog'
import { useRefresh } from './use-refresh'

interface ChoiceNumber {
  phone_id: string
  business_id: string
  display_phone_number: string | null
  verified_name: string | null
}

interface Choice {
  signup_token: string
  numbers: ChoiceNumber[]
}

type Step =
  | { kind: 'start' }
  | { kind: 'waiting' }
  | { kind: 'connecting' }
  | { kind: 'choosing'; choice: Choice }

/** Returns the numbers to choose from if the server asks for a choice. */
const choiceIn = (error: unknown): Choice | null =>
  error instanceof ApiError && error.code === 'choice_required'
    ? (error.more.details as Choice)
    : null

/** Returns the address of the platform's dialog; `null` if the server has none. */
export function useSignupDialog(isNeeded: boolean): string | null {
  const { data } = useApi('GET /api/embedded-signup/config', {}, isNeeded)
  return data?.dialog_url ?? null
}

/** Returns the steps of connecting a number with the platform's dialog. */
function useSignup(dialogUrl: string, onDone: () => void) {
  const refresh = useRefresh('GET /api/accounts')
  const [step, setStep] = useState<Step>({ kind: 'start' })
  const [error, setError] = useState<string | null>(null)
  const stop = useRef(new AbortController())
  useEffect(
    () => () => {
      stop.current.abort()
    },
    [],
  )
  const fail = (problem: unknown): void => {
    const choice = choiceIn(problem)
    if (choice && choice.numbers.length > 0) setStep({ kind: 'choosing', choice })
    else {
      if (problem instanceof DOMException && problem.name === 'AbortError') return
      setStep({ kind: 'start' })
      // The dialog's own reasons come without a request, and may be empty.
      const isOfDialog = problem instanceof Error && !(problem instanceof ApiError)
      const words = isOfDialog && !(problem instanceof TypeError) ? problem.message : null
      setError(words === '' ? t('settings.signup.cancelled') : (words ?? sentenceOf(problem)))
    }
  }
  const connect = async (body: Body<'POST /api/accounts/exchange-token'>): Promise<void> => {
    setStep({ kind: 'connecting' })
    const { warnings } = await callOnce('POST /api/accounts/exchange-token', { body })
    await refresh()
    notify([t('settings.numbers.connected'), ...warnings].join(' '))
    onDone()
  }
  return {
    step,
    error,
    open: () => {
      setError(null)
      setStep({ kind: 'waiting' })
      openSignupDialog(dialogUrl, stop.current.signal)
        .then(({ code, redirectUri }) => connect({ code, redirect_uri: redirectUri }))
        .catch(fail)
    },
    choose: (token: string, { phone_id }: ChoiceNumber) => {
      connect({ signup_token: token, phone_id }).catch(fail)
    },
  }
}

interface Props {
  dialogUrl: string
  onByHand: () => void
  onClose: () => void
}

/** The window in which a number is connected: with the platform's dialog if there is one, or by hand. */
export function ConnectDialog({
  dialogUrl,
  onClose,
}: {
  dialogUrl: string | null
  onClose: () => void
}) {
  const [isByHand, setByHand] = useState(dialogUrl === null)
  return isByHand || dialogUrl === null ? (
    <NumberDialog account={null} onClose={onClose} />
  ) : (
    <SignupDialog
      dialogUrl={dialogUrl}
      onByHand={() => {
        setByHand(true)
      }}
      onClose={onClose}
    />
  )
}

function SignupDialog({ dialogUrl, onByHand, onClose }: Props) {
  const { step, error, open, choose } = useSignup(dialogUrl, onClose)
  return (
    <Dialog title={t('settings.numbers.add')} isOpen onClose={onClose}>
      {error !== null && <Trouble>{error}</Trouble>}
      {step.kind === 'start' && (
        <>
          <p>{t('settings.signup.hint')}</p>
          <footer className="actions">
            <Button onPress={onByHand}>{t('settings.signup.by-hand')}</Button>
            <Button look="primary" onPress={open}>
              {t('settings.signup.open')}
            </Button>
          </footer>
        </>
      )}
      {step.kind === 'waiting' && <p role="status">{t('settings.signup.waiting')}</p>}
      {step.kind === 'connecting' && <p role="status">{t('settings.signup.connecting')}</p>}
      {step.kind === 'choosing' && (
        <>
          <p>{t('settings.signup.choose')}</p>
          <ul className="choices" aria-label={t('settings.signup.choose')}>
            {step.choice.numbers.map((number) => (
              <li key={number.phone_id}>
                <PlainButton
                  className="choice"
                  onPress={() => {
                    choose(step.choice.signup_token, number)
                  }}
                >
                  <b>
                    <bdi>{number.verified_name ?? number.phone_id}</bdi>
                  </b>
                  <span className="muted small">
                    <bdi>{number.display_phone_number}</bdi>
                    {' · '}
                    {t('settings.signup.business', { id: number.business_id })}
                  </span>
                </PlainButton>
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}
