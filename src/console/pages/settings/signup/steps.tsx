import type { ReactNode } from 'react'

import { Button, PlainButton } from '../../../parts/button'
import { Trouble } from '../../../parts/state'
import { findText, t } from '../../../texts/texts'
import { numberOf } from '../number/number-of'
import { NewNumber } from './new-number'
import type { Signup, SignupKind, Step } from './use-signup'

interface Props {
  signup: Signup
  onByHand: () => void
}

/** What a person sees while a number is connected: each end has its sentence and the next action. */
export function SignupSteps({ signup, onByHand }: Props) {
  const { step, error } = signup
  const byHand = <Button onPress={onByHand}>{t('signup.by-hand')}</Button>
  const again = (
    <Button
      look="primary"
      onPress={() => {
        signup.open()
      }}
    >
      {t('signup.open-again')}
    </Button>
  )
  return (
    <>
      {error !== null && <Trouble>{error}</Trouble>}
      {step.kind === 'start' && <Start onOpen={signup.open} byHand={byHand} />}
      {step.kind === 'waiting' && (
        <>
          <p role="status">{t('signup.waiting')}</p>
          <footer className="actions">
            <Button onPress={signup.cancel}>{t('parts.action.cancel')}</Button>
          </footer>
        </>
      )}
      {step.kind === 'connecting' && <p role="status">{t('signup.connecting')}</p>}
      {(step.kind === 'blocked' || step.kind === 'cancelled' || step.kind === 'closed') && (
        <>
          <p role="status">{sentenceOf(step)}</p>
          <footer className="actions">
            {byHand}
            {again}
          </footer>
        </>
      )}
      {step.kind === 'choosing' && <Choosing step={step} onChoose={signup.choose} />}
      {step.kind === 'no-number' && <NewNumber of={step.of} signup={signup} again={again} />}
    </>
  )
}

/** Returns the sentence about an end without a number. */
function sentenceOf(step: Extract<Step, { kind: 'blocked' | 'cancelled' | 'closed' }>): string {
  if (step.kind === 'blocked') return t('signup.blocked')
  if (step.kind === 'closed') return t(step.isFinished ? 'signup.closed-late' : 'signup.closed')
  if (step.reason !== null) return t('signup.refused', { reason: step.reason })
  const at = step.step === null ? null : findText(`signup.step.${step.step}`)
  return at === null ? t('signup.cancelled') : t('signup.cancelled-at', { step: at })
}

const KINDS = ['new', 'phone-app'] as const

function Start({ onOpen, byHand }: { onOpen: (kind: SignupKind) => void; byHand: ReactNode }) {
  return (
    <>
      <p>{t('signup.intro')}</p>
      <ul className="choice-list" aria-label={t('signup.which')}>
        {KINDS.map((kind) => (
          <li key={kind}>
            <PlainButton
              className="choice"
              onPress={() => {
                onOpen(kind)
              }}
            >
              <b>{t(`signup.kind.${kind}`)}</b>
              <span className="muted small">{t(`signup.hint.${kind}`)}</span>
            </PlainButton>
          </li>
        ))}
      </ul>
      <footer className="actions">{byHand}</footer>
    </>
  )
}

function Choosing({
  step,
  onChoose,
}: {
  step: Extract<Step, { kind: 'choosing' }>
  onChoose: Signup['choose']
}) {
  return (
    <>
      <p>{t('signup.choose')}</p>
      <ul className="choice-list" aria-label={t('signup.choose')}>
        {step.numbers.map((number) => (
          <li key={number.phone_id}>
            <PlainButton
              className="choice"
              onPress={() => {
                onChoose(number)
              }}
            >
              <b>
                <bdi>{number.verified_name ?? number.phone_id}</bdi>
              </b>
              <span className="muted small">
                <bdi>{numberOf(number)}</bdi>
                {' · '}
                {t('signup.business', { id: number.business_id })}
              </span>
            </PlainButton>
          </li>
        ))}
      </ul>
    </>
  )
}
