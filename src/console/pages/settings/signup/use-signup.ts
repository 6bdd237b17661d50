import { useEffect, useRef, useState } from 'react'

import { callOnce } from '../../../api/call-once'
import type { Body, Data } from '../../../api/client'
import { ApiError } from '../../../api/error'
import { openSignupDialog, type DialogEnd } from '../../../live/signup-dialog'
import { useApi } from '../../../live/query'
import { sentenceOf } from '../../../parts/state'
import { useRefresh } from '../../../live/use-refresh'

/** Which number the dialog connects: one for this server alone, or that of a phone app. */
export type SignupKind = 'new' | 'phone-app'

/** The addresses of the platform's dialog. */
export type Dialogs = Record<SignupKind, string>

/** A number to choose from. */
export interface ChoiceNumber {
  phone_id: string
  business_id: string
  display_phone_number: string | null
  verified_name: string | null
}

/** What was connected so far, with the token to go on. */
export interface WithoutNumber {
  signup_token: string
  business_ids: string[]
}

/** What a person sees of connecting a number. */
export type Step =
  | { kind: 'start' }
  | { kind: 'waiting' }
  | { kind: 'connecting' }
  | { kind: 'choosing'; token: string; numbers: ChoiceNumber[] }
  | { kind: 'no-number'; of: WithoutNumber }
  | { kind: 'connected'; accountId: string }
  | Exclude<DialogEnd, { kind: 'finished' }>

/** Returns the addresses of the platform's dialog; `null` if the server has none. */
export function useSignupDialogs(isNeeded: boolean): Dialogs | null {
  const { data } = useApi('GET /api/embedded-signup/config', {}, isNeeded)
  const { dialog_url: address = null, phone_app_dialog_url: ofPhoneApp = null } = data ?? {}
  return address === null || ofPhoneApp === null ? null : { new: address, 'phone-app': ofPhoneApp }
}

/** Returns the step that an answer of the server leads to, or `null` if it is a failure. */
function stepOf(error: unknown): Step | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'no_number')
    return { kind: 'no-number', of: error.more.details as WithoutNumber }
  if (error.code !== 'choice_required') return null
  const { signup_token: token, numbers } = error.more.details as {
    signup_token: string
    numbers: ChoiceNumber[]
  }
  return { kind: 'choosing', token, numbers }
}

/** Connecting a number with the platform's dialog, step by step. */
export interface Signup {
  step: Step
  /** Why the last step failed. */
  error: string | null
  /** Opens the dialog; again of the last kind without one. Call it in a press. */
  open: (kind?: SignupKind) => void
  /** Closes the dialog. */
  cancel: () => void
  choose: (number: ChoiceNumber) => void
  /** Looks whether the business account has a number now. */
  lookAgain: () => void
  /** Adds a number to a business account without one. Rejects with the server's error. */
  addNumber: (number: Omit<Body<'POST /api/accounts/new-number'>, 'signup_token'>) => Promise<void>
}

/** Returns the steps of connecting a number with the platform's dialog. */
export function useSignup(dialogs: Dialogs): Signup {
  const refresh = useRefresh('GET /api/accounts', 'GET /api/accounts/{id}')
  const [step, setStep] = useState<Step>({ kind: 'start' })
  const [error, setError] = useState<string | null>(null)
  const kind = useRef<SignupKind>('new')
  const stop = useRef(new AbortController())
  useEffect(
    () => () => {
      stop.current.abort()
    },
    [],
  )

  /** What failed on the way, `warnings`, are the steps that are left to do. */
  const show = async ({ account }: Data<'POST /api/accounts/exchange-token'>): Promise<void> => {
    await refresh()
    setStep({ kind: 'connected', accountId: account.id })
  }
  const exchange = (body: Body<'POST /api/accounts/exchange-token'>, back: Step): void => {
    setError(null)
    setStep({ kind: 'connecting' })
    callOnce('POST /api/accounts/exchange-token', { body })
      .then(show)
      .catch((problem: unknown) => {
        const next = stepOf(problem)
        setStep(next ?? back)
        if (next === null) setError(sentenceOf(problem))
      })
  }
  const finish = (end: DialogEnd): void => {
    if (end.kind !== 'finished') return setStep(end)
    const { phoneId, businessId } = end.chosen
    exchange(
      {
        code: end.code,
        redirect_uri: end.redirectUri,
        ...(phoneId === null ? {} : { phone_id: phoneId }),
        ...(businessId === null ? {} : { business_id: businessId }),
      },
      { kind: 'start' },
    )
  }
  return {
    step,
    error,
    open: (wanted) => {
      kind.current = wanted ?? kind.current
      stop.current.abort()
      stop.current = new AbortController()
      setError(null)
      setStep({ kind: 'waiting' })
      openSignupDialog(dialogs[kind.current], stop.current.signal, finish)
    },
    cancel: () => {
      stop.current.abort()
      setStep({ kind: 'start' })
    },
    choose: ({ phone_id }) => {
      if (step.kind === 'choosing') exchange({ signup_token: step.token, phone_id }, step)
    },
    lookAgain: () => {
      if (step.kind === 'no-number') exchange({ signup_token: step.of.signup_token }, step)
    },
    addNumber: async (number) => {
      if (step.kind !== 'no-number') return
      const body = { ...number, signup_token: step.of.signup_token }
      await show(await callOnce('POST /api/accounts/new-number', { body }))
    },
  }
}
