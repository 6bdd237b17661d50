import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import type { Data } from '../../api/client'
import { callOnce } from '../../api/call-once'
import { useApi } from '../../live/query'
import { PlainButton } from '../../parts/button'
import { Dialog } from '../../parts/dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Icon } from '../../parts/icons'
import { Loaded } from '../../parts/loaded'
import { Select } from '../../parts/select'
import { Trouble } from '../../parts/state'
import { Upload } from '../../parts/upload'
import { formatLanguage } from '../../texts/format'
import { currentLanguage, findText, t } from '../../texts/texts'
import { MOST_BYTES } from './file'
import { readFlow, type FlowFile } from './model/file'
import { readGraph } from './model/graph'
import { FlowPicture } from './picture'

type Template = Data<'GET /api/chatbot/templates'>['items'][number]

/** What a new flow begins with. */
type Beginning = { from: 'nothing' } | { from: Template } | { from: FlowFile }

/** Offers what a new flow can begin with: nothing, a template with its picture, or a file. */
export function NewFlow({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState<Beginning | null>(null)
  const [isOdd, setOdd] = useState(false)
  const templates = useApi('GET /api/chatbot/templates', {})
  if (chosen) return <NameDialog beginning={chosen} onClose={onClose} />
  return (
    <Dialog title={t('flow.new')} size="large" isOpen onClose={onClose}>
      <p className="muted">{t('flow.new-hint')}</p>
      <Loaded result={templates} rows={6}>
        {({ items }) => (
          <ul className="flow-gallery">
            <li>
              <PlainButton
                className="flow-choice"
                onPress={() => {
                  setChosen({ from: 'nothing' })
                }}
              >
                <span className="flow-picture empty-picture">
                  <Icon name="plus" size={28} />
                </span>
                <b>{t('flow.new-empty')}</b>
                <span className="muted small">{t('flow.new-empty-hint')}</span>
              </PlainButton>
            </li>
            {items.map((template) => (
              <li key={template.key}>
                <PlainButton
                  className="flow-choice"
                  onPress={() => {
                    setChosen({ from: template })
                  }}
                >
                  <FlowPicture graph={readGraph(template.graph)} label={nameOfTemplate(template)} />
                  <b>{nameOfTemplate(template)}</b>
                  <span className="muted small">
                    {findText(`flow.template-hint.${template.key}`) ?? template.description}
                  </span>
                </PlainButton>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <h3>{t('flow.import')}</h3>
      <Upload
        label={t('flow.import')}
        hint={t('flow.import-hint')}
        accept=".json,application/json"
        maxBytes={MOST_BYTES}
        onFile={(file) => {
          file
            .text()
            .then((text) => {
              const read = readFlow(text)
              setOdd(read === null)
              if (read) setChosen({ from: read })
            })
            .catch(() => {
              setOdd(true)
            })
        }}
      />
      {isOdd && <Trouble>{t('flow.import-odd')}</Trouble>}
    </Dialog>
  )
}

const nameOfTemplate = ({ key, name }: Template): string => findText(`flow.template.${key}`) ?? name

const isTemplate = (from: Beginning['from']): from is Template =>
  typeof from === 'object' && 'key' in from

/** The first steps of a flow that begins with nothing. */
const EMPTY = {
  version: 2,
  entry_node: 'message_1',
  nodes: [{ id: 'message_1', type: 'message', config: { message: '' } }],
  edges: [],
}

/** Asks for the name of a new flow, and leads to it. */
function NameDialog({ beginning, onClose }: { beginning: Beginning; onClose: () => void }) {
  const { from } = beginning
  const navigate = useNavigate()
  const [language, setLanguage] = useState(currentLanguage())
  const usual = isTemplate(from) ? nameOfTemplate(from) : from === 'nothing' ? '' : from.name
  const create = async (name: string): Promise<void> => {
    const { id } = isTemplate(from)
      ? await callOnce('POST /api/chatbot/flows/from-template', {
          body: { template_key: from.key, name, language },
        })
      : await callOnce('POST /api/chatbot/flows', {
          body: from === 'nothing' ? { name, graph: EMPTY } : { ...from, name },
        })
    const search = from === 'nothing' ? { node: EMPTY.entry_node } : {}
    await navigate({ to: '/bot/flows/$flowId', params: { flowId: id }, search })
  }
  return (
    <FormDialog
      title={t('flow.new')}
      submit={t('flow.create')}
      onSave={(data) => create(textOf(data, 'name'))}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t('flow.name')}
        hint={t('flow.name-hint')}
        defaultValue={usual}
        isRequired
        autoFocus
        maxLength={255}
      />
      {isTemplate(from) && (
        <Select
          label={t('flow.language')}
          choices={from.languages.map((id) => ({ id, label: formatLanguage(id) }))}
          value={language}
          onChange={setLanguage}
        />
      )}
    </FormDialog>
  )
}
