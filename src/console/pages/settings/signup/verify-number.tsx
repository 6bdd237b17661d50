import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { ApiError } from '../../../api/error'
import { Button } from '../../../parts/button'
import { fieldErrors, Form, TextField, textOf } from '../../../parts/field'
import { sentenceOf, Trouble } from '../../../parts/state'
import { currentLanguage, t } from '../../../texts/texts'
import { numberOf } from '../number/number-of'
import { useRefresh } from '../../../live/use-refresh'

/** The languages of the console as the platform names those of its calls. */
const LANGUAGES = { en: 'en_US', de: 'de', es: 'es', pt: 'pt_BR', ar: 'ar' } as const

/** A number that is being verified. */
interface Verification {
  isSent: boolean
  isBusy: boolean
  /** Why the last request failed. */
  error: unknown
  send: (method: 'sms' | 'voice') => void
  verify: (data: FormData) => void
}

/** Returns how to have a code sent to a number, and to verify it with the code. */
function useVerification(id: string): Verification {
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}')
  const [isSent, setSent] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const params = { id }
  const run = (work: Promise<void>): void => {
    setBusy(true)
    setError(null)
    work
      .catch((problem: unknown) => {
        setError(problem)
        // it was verified elsewhere meanwhile
        return problem instanceof ApiError && problem.code === 'already_verified'
          ? refresh()
          : undefined
      })
      .finally(() => {
        setBusy(false)
      })
  }
  return {
    isSent,
    isBusy,
    error,
    send: (method) => {
      const body = { method, language: LANGUAGES[currentLanguage()] }
      run(
        call('POST /api/accounts/{id}/request-code', { params, body }).then(() => {
          setSent(true)
        }),
      )
    },
    verify: (data) => {
      const body = { code: textOf(data, 'code').replaceAll(/\D/g, '') }
      // a registration that failed is the next step
      run(call('POST /api/accounts/{id}/verify-code', { params, body }).then(refresh))
    },
  }
}

/** Has a code sent to a number, and verifies it with the code. */
export function VerifyNumber({ account }: { account: Account }) {
  const { isSent, isBusy, error, send, verify } = useVerification(account.id)
  const number = numberOf(account)
  const marked = fieldErrors(error)
  return (
    <Form onSubmit={verify} validationErrors={marked}>
      {error !== null && Object.keys(marked).length === 0 && <Trouble>{sentenceOf(error)}</Trouble>}
      {isSent && (
        <>
          <p role="status" className="small">
            {t('signup.verify.sent', { number })}
          </p>
          <TextField
            name="code"
            label={t('signup.verify.code')}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={10}
            isRequired
            autoFocus
          />
        </>
      )}
      <div className="setup-actions">
        <Button
          isDisabled={isBusy}
          onPress={() => {
            send('sms')
          }}
        >
          {t('signup.verify.sms')}
        </Button>
        <Button
          isDisabled={isBusy}
          onPress={() => {
            send('voice')
          }}
        >
          {t('signup.verify.voice')}
        </Button>
        {isSent && (
          <Button type="submit" look="primary" isPending={isBusy}>
            {t('signup.verify.submit')}
          </Button>
        )}
      </div>
    </Form>
  )
}
