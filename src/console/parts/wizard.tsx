import { useEffect, useRef, useState, type ReactNode } from 'react'

import { t } from '../texts/texts'
import { Button, PlainButton } from './button'
import { fieldErrors, Form } from './field'
import { Icon } from './icons'
import { Page } from './page'
import { sentenceOf, Trouble } from './state'
import { isAbort } from './toast'

/** A step of a task. */
export interface Step<K extends string> {
  /** Its word in the address. */
  id: K
  label: string
  /** Whether nothing is missing in it. */
  isDone: boolean
  /** Whether a step before has to be done first. */
  isBlocked?: boolean
}

interface Props<K extends string> {
  title: string
  hint?: string
  /** Shown beside the title. */
  actions?: ReactNode
  steps: readonly Step<K>[]
  /** The step that the address names. */
  step: K
  /** Shows another step: changes the address. */
  onStep: (step: K) => void
  /** Saves what the step holds before another one is shown. */
  onSave?: () => Promise<unknown>
  /** Leaves the task. What was saved is there when somebody goes on with it. */
  onLeave: () => void
  /** The word for leaving, if nothing is saved before the end. */
  leave?: string | undefined
  /** What the last step does. Without it the step has a button of its own. */
  finish?: { label: string; onFinish: () => Promise<unknown>; isDisabled?: boolean } | undefined
  /** What has to be done before the next step can be shown, if anything. */
  missing?: string | null
  /** What stands below the step on the same page. */
  below?: ReactNode
  children: ReactNode
}

/**
 * A task in steps. The step stands in the address, and each is saved before the next one, so that the
 * task can be left and gone on with, also by a colleague. Errors of the server stand at the fields
 * whose `name` is their path.
 */
export function Wizard<K extends string>(props: Props<K>) {
  const { steps, step, onStep, onSave, onLeave, leave, finish, missing, below, children, ...page } =
    props
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState<string | null>(null)
  const heading = useFocusOnStep(step)
  const at = steps.findIndex(({ id }) => id === step)
  const next = steps[at + 1]
  const run = (name: string, work: () => Promise<unknown>, then: () => void): void => {
    if (busy !== null) return
    setBusy(name)
    setError(null)
    work()
      .then(then)
      .catch((problem: unknown) => {
        // the person stopped it
        if (!isAbort(problem)) setError(problem)
      })
      .finally(() => {
        setBusy(null)
      })
  }
  const save = async (): Promise<unknown> => await onSave?.()
  const go = (id: K): void => {
    run(id, save, () => {
      onStep(id)
    })
  }
  return (
    <Page {...page}>
      <StepList steps={steps} step={step} onStep={go} />
      <Form
        validationErrors={fieldErrors(error)}
        onSubmit={() => {
          if (next) go(next.id)
          else if (finish) run('finish', finish.onFinish, () => undefined)
        }}
      >
        <section className="section" aria-label={steps[at]?.label}>
          <header className="section-head">
            <h2 ref={heading} tabIndex={-1}>
              {steps[at]?.label}
            </h2>
          </header>
          {children}
        </section>
        {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
        {missing != null && (
          <p className="wizard-missing" role="status">
            {missing}
          </p>
        )}
        <Bar
          before={steps[at - 1]}
          next={next}
          finish={finish}
          busy={busy}
          onStep={go}
          leave={leave}
          onLeave={() => {
            run('leave', save, onLeave)
          }}
        />
      </Form>
      {below}
    </Page>
  )
}

function StepList<K extends string>({
  steps,
  step,
  onStep,
}: Pick<Props<K>, 'steps' | 'step' | 'onStep'>) {
  return (
    <ol className="wizard-steps" aria-label={t('parts.wizard.steps')}>
      {steps.map((one, index) => (
        <li key={one.id} aria-current={one.id === step ? 'step' : undefined}>
          <PlainButton
            className={one.isDone ? 'wizard-step done' : 'wizard-step'}
            isDisabled={one.id === step || (one.isBlocked ?? false)}
            onPress={() => {
              onStep(one.id)
            }}
          >
            <span className="wizard-mark" aria-hidden="true">
              {one.isDone && one.id !== step ? <Icon name="check" size={14} /> : index + 1}
            </span>
            <span>{one.label}</span>
            {one.isDone && <span className="visually-hidden"> {t('parts.wizard.done')}</span>}
          </PlainButton>
        </li>
      ))}
    </ol>
  )
}

interface BarProps<K extends string> extends Pick<Props<K>, 'onStep' | 'onLeave' | 'leave'> {
  before: Step<K> | undefined
  next: Step<K> | undefined
  finish: Props<K>['finish']
  /** The step that is on its way, `leave` or `finish`. */
  busy: string | null
}

/** The ways out of a step: later, back and on. */
function Bar<K extends string>(props: BarProps<K>) {
  const { before, next, finish, busy, onStep, onLeave, leave } = props
  return (
    <footer className="actions wizard-actions">
      <Button look="quiet" isPending={busy === 'leave'} onPress={onLeave}>
        {leave ?? t('parts.wizard.leave')}
      </Button>
      <span className="grow" />
      {before && (
        <Button
          isPending={busy === before.id}
          onPress={() => {
            onStep(before.id)
          }}
        >
          {t('parts.wizard.back')}
        </Button>
      )}
      {(next ?? finish) && (
        <Button
          type="submit"
          look="primary"
          isDisabled={(next ? next.isBlocked : finish?.isDisabled) ?? false}
          isPending={busy === (next?.id ?? 'finish')}
        >
          {next ? t('parts.wizard.next') : finish?.label}
        </Button>
      )}
    </footer>
  )
}

/** Leads the focus to the title of a step that follows another one. */
function useFocusOnStep(step: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    heading.current?.focus({ preventScroll: true })
    heading.current?.closest('main')?.scrollTo({ top: 0 })
  }, [step])
  return heading
}
