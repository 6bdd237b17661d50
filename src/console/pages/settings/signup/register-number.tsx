import { useState } from 'react'

import { call } from '../../../api/client'
import type { Account } from '../../../api/shapes'
import { ApiError } from '../../../api/error'
import { Button } from '../../../parts/button'
import { Form, TextField, textOf } from '../../../parts/field'
import { sentenceOf, Trouble } from '../../../parts/state'
import { t } from '../../../texts/texts'
import { useRefresh } from '../../../live/use-refresh'
import { META_PAGES, MetaLink } from './meta-link'

/** The platform's code for a number that has another PIN. */
const WRONG_PIN = 133_005

const isWrongPin = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.more.details as { platform_code?: number } | null)?.platform_code === WRONG_PIN

/** Registers a number. Asks for the PIN only if it has one of its own. */
export function RegisterNumber({ account }: { account: Account }) {
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}')
  const [needsPin, setNeedsPin] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const register = (data: FormData): void => {
    setBusy(true)
    setError(null)
    const pin = textOf(data, 'pin').trim()
    call('POST /api/accounts/{id}/register', {
      params: { id: account.id },
      body: pin === '' ? {} : { pin },
    })
      .then(refresh)
      .catch((problem: unknown) => {
        setNeedsPin(needsPin || isWrongPin(problem))
        setError(problem)
      })
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <Form onSubmit={register}>
      {error !== null && (
        <Trouble>{isWrongPin(error) ? t('signup.register.pin-why') : sentenceOf(error)}</Trouble>
      )}
      {needsPin && (
        <TextField
          name="pin"
          label={t('signup.register.pin')}
          inputMode="numeric"
          autoComplete="off"
          maxLength={6}
          isRequired
          autoFocus
        />
      )}
      <div className="setup-actions">
        {needsPin && <MetaLink href={META_PAGES.manager}>{t('signup.manager')}</MetaLink>}
        <Button type="submit" isPending={isBusy}>
          {t('signup.register.submit')}
        </Button>
      </div>
    </Form>
  )
}
