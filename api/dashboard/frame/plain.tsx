import { Box, Center, Paper } from '@mantine/core';

/** A page without navigation: for whoever is not signed in. */
export function Plain({ children }: { children: React.ReactNode }) {
  return (
    <Center component="main" mih="80vh" p="md">
      <Paper withBorder p="lg" w="100%" maw={480}>
        <Box className="wrap">{children}</Box>
      </Paper>
    </Center>
  );
}
