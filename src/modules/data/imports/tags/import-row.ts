import { unescapeFormula } from '../../../../lib/csv'
import { hasPermission, type Ctx } from '../../../../infra/ctx'
import {
  importTagIn,
  updateImportedTagIn,
  revertTagIn,
  type TagUndo,
} from '../../../inbox/tags/import'
import { TAG_COLORS } from '../../../inbox/tags/table'
import { problemOfTagName } from '../../../inbox/tags/service'
import type { RowWithEnd } from '../stored-rows'
import {
  cellReader,
  problemsOfShape,
  refused,
  type Done,
  type ReadRow,
  type FileImportWork,
} from '../importer'
import { tagKey, tagsWhere, type TagRow } from '../../../inbox/tags/queries'

/** A tag as written in a row. */
interface TagCells {
  name: string
  color: TagRow['color'] | undefined
}

/** Imports rows of tags. */
export const tagWork: FileImportWork<TagCells> = {
  reader: (_ctx, options) => {
    const cellsOf = cellReader(options)
    return (placed) => readTag(cellsOf(placed), placed)
  },
  doer: (tx, { ctx, options, isDryRun }) => {
    const one = ({ what, written }: ReadRow<TagCells>): Done => {
      const about = (message: string) => ({ column: 'name', message, value: written })
      const [before] = tagsWhere(ctx, { keys: [tagKey(what.name)] })
      if (before && !options.updatesDuplicates)
        return refused('skipped', about('A tag with this name already exists.'), before.id)
      const permission = before ? 'tags:update' : 'tags:create'
      if (!hasPermission(ctx.actor, permission))
        return refused('failed', about(`requires the permission ${permission}`))
      const done = (targetId: string | null, undo: TagUndo | null): Done => ({
        outcome: before ? 'updated' : 'created',
        targetId,
        problems: [],
        undo,
      })
      if (isDryRun) return done(before?.id ?? null, null)
      const brought = { name: what.name, color: what.color ?? before?.color ?? 'gray' }
      if (before) return done(before.id, updateImportedTagIn(tx, ctx, before, brought))
      const added = importTagIn(tx, ctx, brought)
      return done(added.id, added.undo)
    }
    return { one, settle: () => undefined }
  },
  takeBackIn: (tx, ctx: Ctx, { targetId, undo }) =>
    revertTagIn(tx, ctx, targetId, JSON.parse(undo) as TagUndo),
}

function readTag(cells: Map<string, string>, placed: RowWithEnd): ReadRow<TagCells> {
  const problems = problemsOfShape(placed)
  const written = cells.get('name') ?? ''
  const name = unescapeFormula(written).trim()
  const problem = name === '' ? 'is required' : problemOfTagName(name, true)
  if (problem !== null)
    problems.push({
      column: 'name',
      message: problem,
      value: written === '' ? null : written.slice(0, 255),
    })
  const typed = cells.get('color')?.toLowerCase()
  const color = TAG_COLORS.find((one) => one === typed)
  if (typed !== undefined && color === undefined)
    problems.push({
      column: 'color',
      message: `must be one of ${TAG_COLORS.join(', ')}`,
      value: typed.slice(0, 255),
    })
  return {
    row: placed.stored[0],
    end: placed.end,
    identity: name === '' ? null : tagKey(name),
    written,
    what: { name, color },
    problems,
  }
}
