import { useEffect, useRef, useState } from 'react'

import { ApiError } from '../../api/error'
import { Button, IconButton } from '../../parts/button'
import { Disclosure } from '../../parts/disclosure'
import { Form, TextField } from '../../parts/field'
import { FoundName } from '../../parts/found-select'
import { PhoneBubble } from '../../parts/phone/preview'
import { sentenceOf, Trouble } from '../../parts/state'
import { findText, t } from '../../texts/texts'
import { textIn } from './model/graph'
import { Side } from './side'
import { useFlow } from './use-flow'
import { TestThings } from './test-things'
import type { Said, Test } from './use-test'

interface Props {
  test: Test
  onClose: () => void
}

/** Tries a flow as a customer would: nothing is sent, and nothing is changed. */
export function TestChat({ test, onClose }: Props) {
  const { flow } = useFlow()
  const { said, session, isBusy, error, say, restart } = test
  const wall = useRef<HTMLDivElement>(null)
  useEffect(() => {
    wall.current?.scrollTo({ top: wall.current.scrollHeight })
  }, [said.length])
  const isOver = session !== null && session.status !== 'active'
  return (
    <Side
      label={t('flow.test')}
      title={t('flow.test')}
      icon="play"
      actions={
        said.length > 0 && (
          <IconButton icon="refresh" label={t('flow.test.restart')} onPress={restart} />
        )
      }
      onClose={onClose}
    >
      <div className="flow-chat phone">
        <div ref={wall} className="phone-wall" role="log" aria-label={t('flow.test')} tabIndex={0}>
          {said.length === 0 && <p className="flow-chat-note">{t('flow.test.hint')}</p>}
          {said.map((one, at) => (
            <Bubble key={at} said={one} isLast={at === said.length - 1} test={test} />
          ))}
          {isOver && (
            <p className="flow-chat-note">
              {t(`flow.test.end.${session.status as 'completed'}`)}
              {session.end_reason !== null &&
                session.status === 'failed' &&
                ` (${findText(`flow.test.reason.${session.end_reason}`) ?? session.end_reason})`}
            </p>
          )}
        </div>
      </div>
      {error !== null && <Trouble>{troubleOf(error)}</Trouble>}
      <Writer
        isBusy={isBusy}
        first={said.length === 0 || isOver ? (flow.trigger_keywords[0] ?? null) : null}
        onSay={say}
      />
      <Behind test={test} />
    </Side>
  )
}

const troubleOf = (error: unknown): string =>
  error instanceof ApiError && error.code === 'graph_invalid'
    ? t('flow.test.invalid', { count: error.more.fields.length })
    : sentenceOf(error)

interface BubbleProps {
  said: Said
  isLast: boolean
  test: Test
}

/** Something that was said. What the bot offers can be tapped. */
function Bubble({ said, isLast, test }: BubbleProps) {
  if (said.by === 'customer')
    return (
      <p className="flow-chat-mine" dir="auto">
        {said.text}
      </p>
    )
  const { message, choices, formId, template } = said
  if (template !== null)
    return (
      <p className="flow-chat-note">
        {t('flow.test.template')} <FoundName kind="template" id={template} />
      </p>
    )
  const mayTap = isLast || choices.length > 0
  return (
    <PhoneBubble
      message={message}
      onTap={
        mayTap
          ? (index) => {
              const choice = choices[index]
              if (choice) test.say({ button_id: choice.id, title: choice.title }, choice.title)
              else if (formId !== null) test.say({ form: {}, flow_id: formId }, t('flow.test.form'))
            }
          : undefined
      }
    />
  )
}

interface WriterProps {
  isBusy: boolean
  /** The word that begins the flow, if it has not begun. */
  first: string | null
  onSay: Test['say']
}

function Writer({ isBusy, first, onSay }: WriterProps) {
  const [text, setText] = useState('')
  return (
    <Form
      onSubmit={() => {
        if (text.trim() === '' || isBusy) return
        onSay({ text }, text)
        setText('')
      }}
    >
      <div className="flow-chat-writer">
        <TestThings
          onSend={(message, what) => {
            if (!isBusy) onSay(message, what)
          }}
        />
        <TextField
          label={t('flow.test.message')}
          value={text}
          maxLength={4_096}
          autoFocus
          onChange={setText}
        />
        <IconButton icon="send" look="primary" type="submit" label={t('flow.test.send')} />
      </div>
      {first !== null && text === '' && (
        <Button
          look="quiet"
          onPress={() => {
            onSay({ text: first }, first)
          }}
        >
          {t('flow.test.begin', { word: first })}
        </Button>
      )}
    </Form>
  )
}

/** What lies behind the conversation: answers that are kept, and what would be done. */
function Behind({ test: { session, effects } }: { test: Test }) {
  const variables = Object.entries(session?.variables ?? {})
  if (variables.length === 0 && effects.length === 0) return null
  return (
    <>
      {variables.length > 0 && (
        <Disclosure title={t('flow.test.variables', { count: variables.length })}>
          {() => (
            <dl className="flow-variables">
              {variables.map(([name, value]) => (
                <div key={name}>
                  <dt>
                    <code>{name}</code>
                  </dt>
                  <dd dir="auto">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
                </div>
              ))}
            </dl>
          )}
        </Disclosure>
      )}
      {effects.length > 0 && (
        <Disclosure title={t('flow.test.effects', { count: effects.length })}>
          {() => (
            <ul className="flow-effects">
              {effects.map((effect, at) => (
                <li key={at}>
                  <Effect effect={effect} />
                </li>
              ))}
            </ul>
          )}
        </Disclosure>
      )}
    </>
  )
}

/** Something that the flow would do besides sending. */
function Effect({ effect }: { effect: Record<string, unknown> }) {
  const kind = textIn(effect['kind'])
  const team = textIn(effect['team_id'])
  const url = textIn(effect['url'])
  const notes = textIn(effect['notes'])
  return (
    <>
      <b>{findText(`flow.effect.${kind}`) ?? kind}</b>{' '}
      {team !== '' && team !== 'general' && <FoundName kind="team" id={team} />}
      {url !== '' && (
        <code dir="ltr">
          {textIn(effect['method'])} {url}
        </code>
      )}
      {notes !== '' && <span dir="auto">{notes}</span>}
    </>
  )
}
