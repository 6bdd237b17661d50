import { useRef } from 'react'

import { Button } from '../../parts/button'
import { Disclosure } from '../../parts/disclosure'
import { fieldErrors, Form } from '../../parts/field'
import { sentenceOf, Trouble } from '../../parts/state'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'
import { Side } from './side'
import { Beginning, More, Texts } from './start-fields'
import { useFlow } from './use-flow'

/** How a flow begins and ends: words, number, what is said around its steps. */
export function StartPanel({ onClose }: { onClose: () => void }) {
  const { isEditable, start } = useFlow()
  const { draft, error } = start
  const body = useRef<HTMLDivElement>(null)
  const save = (): void => {
    start
      .save()
      .then(() => {
        body.current?.focus() // the button goes
        notify(t('parts.edit.saved'))
      })
      .catch(() => undefined) // it stands in the form
  }
  return (
    <Side label={t('flow.start')} title={t('flow.start')} icon="settings" onClose={onClose}>
      <div ref={body} className="flow-side-body" tabIndex={-1}>
        {isEditable && <p className="muted">{t('flow.start-at-once')}</p>}
        <fieldset className="flow-plain" disabled={!isEditable}>
          <Form onSubmit={save} validationErrors={fieldErrors(error)}>
            {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
            <Beginning draft={draft} />
            <Disclosure title={t('flow.start-texts')}>{() => <Texts draft={draft} />}</Disclosure>
            <Disclosure title={t('flow.start-more')}>{() => <More draft={draft} />}</Disclosure>
            {start.isChanged && (
              <footer className="flow-save">
                <Button onPress={start.discard}>{t('parts.edit.discard')}</Button>
                <Button type="submit" look="primary" isPending={start.isBusy}>
                  {t('parts.action.save')}
                </Button>
              </footer>
            )}
          </Form>
        </fieldset>
      </div>
    </Side>
  )
}
