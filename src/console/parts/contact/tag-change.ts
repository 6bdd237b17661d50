/**
 * Returns what a press changed: only that is sent, because somebody else may change other tags of the
 * contact at the same time.
 */
export const tagChange = (
  had: readonly string[],
  chosen: ReadonlySet<string>,
): { add_tag_ids: string[]; remove_tag_ids: string[] } => ({
  add_tag_ids: [...chosen].filter((id) => !had.includes(id)),
  remove_tag_ids: had.filter((id) => !chosen.has(id)),
})
