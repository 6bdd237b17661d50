import { useState } from 'react'

import { CodeEditor } from '../../parts/code/code-field'
import { Section } from '../../parts/page'

const JSON_TEXT = '{\n  "version": "7.2",\n  "screens": [1, true, null]\n}'

/** Fields for code, for those who develop the console. */
export function CodeSection() {
  const [json, setJson] = useState(JSON_TEXT)
  const [prompt, setPrompt] = useState('Hello {{ contact.name }},\n{% if open %}come in{% endif %}')
  const line = json.split('\n').findIndex((text) => text.includes('wrong')) + 1
  return (
    <Section title="CodeEditor">
      <div className="form dev-parts">
        <CodeEditor
          label="CodeEditor json"
          language="json"
          value={json}
          onChange={setJson}
          problems={line > 0 ? [{ line, message: 'wrong' }] : []}
        />
        <CodeEditor
          label="CodeEditor liquid"
          hint="variables"
          language="liquid"
          value={prompt}
          onChange={setPrompt}
          variables={[
            { name: 'contact.name', hint: 'name' },
            { name: 'contact.phone' },
            { name: 'order.total' },
          ]}
        />
        <CodeEditor
          label="CodeEditor isReadOnly"
          language="json"
          value={json}
          onChange={setJson}
          isReadOnly
        />
        <output aria-label="prompt">{prompt}</output>
      </div>
    </Section>
  )
}
