/** The part of a Dockerfile that tools/deploy/image.spec.ts repeats: what is copied from where, and what is started. */
export interface ImageCopy {
  /** Stage that it is taken from. */
  from: string;
  source: string;
  target: string;
}

export interface ImageStage {
  name: string;
  /** Stage or image that it begins with. */
  base: string;
  copies: ImageCopy[];
  user: string | undefined;
  entrypoint: string[];
}

/** Every `FROM … AS …` with what the spec needs of it; what a stage begins with counts as its own. */
export function imageStages(dockerfile: string): Map<string, ImageStage> {
  const stages = new Map<string, ImageStage>();
  for (const part of dockerfile.split(/^(?=FROM )/m).slice(1)) {
    const [, base = '', name = ''] = /^FROM (\S+) AS (\S+)/.exec(part) ?? [];
    const inherited = stages.get(base);
    const copies = [...part.matchAll(/^COPY --from=(\S+) (\S+) (\S+)$/gm)].map(
      ([, from = '', source = '', target = '']) => ({ from, source, target }),
    );
    const entrypoint = /^ENTRYPOINT (\[.*\])$/m.exec(part)?.[1];
    stages.set(name, {
      name,
      base,
      copies: [...(inherited?.copies ?? []), ...copies],
      user: /^USER (\S+)$/m.exec(part)?.[1] ?? inherited?.user,
      entrypoint: entrypoint ? (JSON.parse(entrypoint) as string[]) : (inherited?.entrypoint ?? []),
    });
  }
  return stages;
}
