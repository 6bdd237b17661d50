import { useState } from 'react'

import type { WebhookEventType } from '../../../api/shapes'
import { useApi } from '../../../live/query'
import { IconButton } from '../../../parts/button'
import { Checkbox } from '../../../parts/choice'
import { CodeEditor } from '../../../parts/code/code-field'
import { Dialog } from '../../../parts/dialog'
import { Loaded } from '../../../parts/loaded'
import { t } from '../../../texts/texts'
import { nameOfArea, sentenceOfEvent } from './words'

interface Props {
  /** Types, `area.*` or `*`. */
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
}

const areaOf = (event: string): string => event.slice(0, event.indexOf('.'))

/** The events that can be chosen; a test is always sent. */
const choosable = (events: readonly WebhookEventType[]): WebhookEventType[] =>
  events.filter(({ value }) => areaOf(value) !== 'webhook')

/** Which events are sent: all, those of an area, or single ones, each with an example. */
export function EventsField({ chosen, onChange }: Props) {
  const catalog = useApi('GET /api/webhooks/events', {})
  const [example, setExample] = useState<WebhookEventType | null>(null)
  const isAll = chosen.includes('*')
  return (
    <div className="form">
      <Checkbox
        isSelected={isAll}
        onChange={(isOn) => {
          onChange(isOn ? ['*'] : ['message.*'])
        }}
      >
        {t('webhooks.events.all')}
      </Checkbox>
      <Loaded result={catalog}>
        {({ items }) =>
          Object.entries(Object.groupBy(choosable(items), ({ value }) => areaOf(value))).map(
            ([area, events = []]) => (
              <Area
                key={area}
                area={area}
                events={events}
                {...{ chosen, onChange, isAll }}
                onExample={setExample}
              />
            ),
          )
        }
      </Loaded>
      {example && (
        <Dialog
          title={sentenceOfEvent(example.value)}
          size="large"
          isOpen
          onClose={() => {
            setExample(null)
          }}
        >
          <CodeEditor
            label={t('webhooks.example-of', { event: example.value })}
            language="json"
            isReadOnly
            value={JSON.stringify(example.example, null, 2)}
            onChange={() => undefined}
          />
        </Dialog>
      )}
    </div>
  )
}

interface AreaProps extends Props {
  area: string
  events: readonly WebhookEventType[]
  isAll: boolean
  onExample: (event: WebhookEventType) => void
}

/** The events of an area. Who chooses all of it gets those that are added later, too. */
function Area({ area, events, chosen, onChange, isAll, onExample }: AreaProps) {
  const whole = `${area}.*`
  const isWhole = isAll || chosen.includes(whole)
  const set = (value: string, isOn: boolean): void => {
    const others = chosen.filter((one) => one !== value)
    onChange(isOn ? [...others, value] : others)
  }
  return (
    <fieldset className="event-area">
      <legend>
        <Checkbox
          isSelected={isWhole}
          isDisabled={isAll}
          onChange={(isOn) => {
            const others = chosen.filter((one) => areaOf(one) !== area)
            onChange(isOn ? [...others, whole] : others)
          }}
        >
          {nameOfArea(area)}
        </Checkbox>
      </legend>
      {events.map((event) => (
        <div key={event.value} className="event-choice">
          <Checkbox
            isSelected={isWhole || chosen.includes(event.value)}
            isDisabled={isWhole}
            onChange={(isOn) => {
              set(event.value, isOn)
            }}
          >
            <span>
              {sentenceOfEvent(event.value)}
              <code className="muted small block" dir="ltr">
                {event.value}
              </code>
            </span>
          </Checkbox>
          <IconButton
            icon="eye"
            size={18}
            label={t('webhooks.example-of', { event: event.value })}
            onPress={() => {
              onExample(event)
            }}
          />
        </div>
      ))}
    </fieldset>
  )
}
