/** A published generator of clients: how one is made of docs/openapi.json, compiled, and made to tell the story. */
export interface Generator {
  /** Its name on the command line. */
  id: string;
  name: string;
  /** Programs that must be on PATH. */
  needs: readonly string[];
  /** Variables of its commands; `FOLDER` in a value stands for the folder in which they all run. */
  env?: Readonly<Record<string, string>>;
  /** Commands that need a registry: without one, the trial is skipped. No word of a command has a space. */
  install: readonly string[];
  version: string;
  generate: readonly string[];
  /** The story in `stories/`, and where it goes in the folder. */
  story: { file: string; at: string };
  /** An error of one of these is a fault of the document. */
  compile: readonly string[];
  run: string;
}

export const DOCUMENT = 'openapi.json';
const JAVA_CLI = 'openapi-generator-cli';
const JAVA_PARTS =
  'apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';
const STRICT = '--strict --noEmit --target esnext --module nodenext --skipLibCheck false';

export const GENERATORS: readonly Generator[] = [
  {
    id: 'go',
    name: 'Go, oapi-codegen',
    needs: ['go'],
    env: { GOBIN: 'FOLDER/bin', GOFLAGS: '-buildvcs=false' },
    install: ['go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest'],
    version: 'go version -m bin/oapi-codegen',
    generate: [
      'mkdir client',
      `bin/oapi-codegen -generate types,client -package client -o client/client.gen.go ${DOCUMENT}`,
    ],
    story: { file: 'story.go', at: 'story.go' },
    compile: ['go mod init governor', 'go mod tidy', 'go vet ./...', 'go build -o story .'],
    run: './story',
  },
  {
    id: 'java',
    name: 'Java, openapi-generator',
    needs: ['javac', 'mvn'],
    install: [
      `mvn -q -B dependency:copy -Dartifact=org.openapitools:${JAVA_CLI}:LATEST -DoutputDirectory=. -Dmdep.stripVersion`,
    ],
    version: `java -jar ${JAVA_CLI}.jar version`,
    generate: [
      `java -jar ${JAVA_CLI}.jar generate -g java --library native -i ${DOCUMENT} -o . --global-property ${JAVA_PARTS}`,
    ],
    story: { file: 'Story.java', at: 'src/main/java/Story.java' },
    compile: ['mvn -q -B compile dependency:copy-dependencies -DoutputDirectory=lib'],
    run: 'java -cp target/classes:lib/* Story',
  },
  {
    id: 'python',
    name: 'Python, openapi-python-client',
    needs: ['python3'],
    install: ['python3 -m venv venv', 'venv/bin/python -m pip install -q openapi-python-client'],
    version: 'venv/bin/openapi-python-client --version',
    generate: [
      `venv/bin/openapi-python-client generate --path ${DOCUMENT} --output-path governor --meta none`,
    ],
    story: { file: 'story.py', at: 'story.py' },
    compile: ['venv/bin/python -m compileall -q governor story.py'],
    run: 'venv/bin/python story.py',
  },
  {
    id: 'typescript',
    name: 'TypeScript, openapi-typescript',
    needs: ['npm'],
    install: [
      'npm init -y',
      'npm pkg set type=module',
      'npm install --no-audit --no-fund --ignore-scripts openapi-typescript openapi-fetch typescript@5 @types/node',
    ],
    version: 'node_modules/.bin/openapi-typescript --version',
    generate: [`node_modules/.bin/openapi-typescript ${DOCUMENT} -o client.d.ts`],
    story: { file: 'story.ts', at: 'story.ts' },
    compile: [`node_modules/.bin/tsc ${STRICT} --allowImportingTsExtensions story.ts`],
    run: 'node story.ts',
  },
];
