/** The environment of a program without settings: where programs are, and what Node has compiled before. */
export function bareEnv(): { PATH: string; NODE_COMPILE_CACHE: string } {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE };
}
