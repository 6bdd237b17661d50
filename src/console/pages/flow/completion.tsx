import type { Draft } from '../../parts/draft'
import { TextArea, TextField } from '../../parts/field'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { PairsSetting } from './fields/pairs'
import type { FlowValues } from './start-values'

const METHODS = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'] as const
const NONE = { url: '', method: 'POST' as const, headers: {}, body: null }

/** The request that a flow sends when it has come to its end. */
export function CompletionFields({ draft: { value, set } }: { draft: Draft<FlowValues> }) {
  const config = value.completion_config ?? NONE
  const change = (changes: Partial<typeof config>): void => {
    set({ completion_config: { ...config, ...changes } })
  }
  return (
    <>
      <Select
        label={t('flow.field.method')}
        choices={METHODS.map((id) => ({ id, label: id }))}
        value={config.method}
        onChange={(method) => {
          change({ method })
        }}
      />
      <TextField
        name="completion_config.url"
        label={t('flow.field.url')}
        value={config.url}
        isRequired
        maxLength={2_000}
        onChange={(url) => {
          change({ url })
        }}
      />
      <TextArea
        name="completion_config.body"
        label={t('flow.field.request-body')}
        hint={t('flow.completion-body')}
        value={config.body ?? ''}
        maxLength={8_192}
        onChange={(body) => {
          change({ body: body === '' ? null : body })
        }}
      />
      <PairsSetting
        field={{ as: 'pairs', name: 'headers', most: 20, value: 'secret', isMore: true }}
        node={{ id: '', type: 'webhook', label: null, position: null, config: {} }}
        config={{ headers: config.headers }}
        path="completion_config.headers"
        label={t('flow.field.headers')}
        onChange={({ headers = {} }) => {
          change({ headers: headers as Record<string, string> })
        }}
      />
    </>
  )
}
